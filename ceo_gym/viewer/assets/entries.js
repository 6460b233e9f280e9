// Entries of a journal: calls, programs with their output, texts of a model.

const SORTS = [
  {
    id: "decisions",
    label: "Decisions",
    holds: (item) => item.k === "call" && item.does !== "read" && item.does !== "",
  },
  {
    id: "reads",
    label: "Questions",
    holds: (item) => item.k === "call" && (item.does === "read" || item.does === ""),
  },
  { id: "programs", label: "Programs", holds: (item) => item.k === "program" },
  { id: "texts", label: "Texts", holds: (item) => item.k !== "call" && item.k !== "program" },
];

const PROGRAMS_OPEN = 5; // of a week; if there are more, only failed ones are open

const SHORT_ARGUMENTS = 40; // characters that the head of a call has room for

const WORDS = {
  context: "Context",
  notes: "Notes file",
  invalid: "Invalid answer of the model",
  stopped: "Stopped",
  end: "End of the game",
};

/** The entries of a week in their order; calls of a program stand within it. */
function entryList(items, hiddenSorts) {
  const shown = items.filter(
    (item) => !SORTS.some((sort) => hiddenSorts.has(sort.id) && sort.holds(item)),
  );
  const list = el("ol.entries");
  const few = shown.filter((item) => item.k === "program").length <= PROGRAMS_OPEN;
  let inside = null; // {number, list} of the program whose calls follow
  for (const item of shown) {
    const by = item.k === "call" && item.by ? item.by : null;
    if (by) {
      if (!inside || inside.by !== by) inside = { by, list: goesOn(list, by) };
      inside.list.append(el("li", null, call(item)));
    } else if (item.k === "program") {
      const calls = el("ol.entries.inner");
      list.append(el("li", null, program(item, calls, few)));
      inside = { by: `program ${item.number}`, list: calls };
    } else {
      inside = null;
      list.append(
        el(
          "li",
          null,
          item.k === "call" ? call(item) : item.k === "model" ? model(item) : note(item),
        ),
      );
    }
  }
  return list;
}

/** A list for calls of a program that is hidden, or began in an earlier week. */
function goesOn(list, by) {
  const calls = el("ol.entries.inner");
  list.append(
    el("li", null, el("div.item", null, el("p.item-head", null, el("span.tag", null, by)), calls)),
  );
  return calls;
}

function call(item) {
  const failed = item.error !== undefined;
  const words = textOf(item.args).replace(/\s+/g, " ");
  return el(
    `details.item.call${failed ? ".failed" : ""}${item.does === "read" ? ".read" : ""}`,
    { open: failed },
    el(
      "summary",
      null,
      el(
        "span.tag",
        null,
        failed ? "refused" : { read: "asks", time: "plays" }[item.does] || "does",
      ),
      el("code.tool", null, item.tool),
      el("span.brief", null, words === "{}" || words === "null" ? "" : words),
    ),
    words.length > SHORT_ARGUMENTS ? block(item.args, "args") : null,
    failed
      ? el("p.error", null, item.code ? el("b", null, item.code, ": ") : null, textOf(item.error))
      : block(item.result, "result"),
  );
}

function program(item, calls, open) {
  const failed = item.exit !== undefined && item.exit !== 0;
  const state =
    item.exit === undefined
      ? "no output was kept"
      : failed
        ? `exit code ${item.exit}`
        : "ended well";
  const lines = textOf(item.code).split("\n").length;
  return el(
    `details.item.program${failed ? ".failed" : ""}`,
    { open: open || failed },
    el(
      "summary",
      null,
      el("span.tag", null, `program ${item.number}`),
      el("code.tool", null, item.name),
      el(
        "span.brief",
        null,
        [
          plural(lines, "line"),
          state,
          typeof item.seconds === "number" ? `${item.seconds.toFixed(2)} s` : null,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    block(item.code, "code"),
    calls,
    block(item.stdout, "stdout"),
    block(item.stderr, "stderr"),
  );
}

function model(item) {
  const [sent, got] = item.tokens || [];
  const about = [
    item.turn !== null && item.turn !== undefined ? `turn ${item.turn}` : null,
    typeof got === "number" ? `${short(sent)} tokens in, ${short(got)} out` : null,
    typeof item.cost_usd === "number" ? `$${item.cost_usd.toFixed(3)}` : null,
    typeof item.seconds === "number" ? `${item.seconds.toFixed(1)} s` : null,
  ];
  return el(
    "details.item.model",
    { open: true },
    el(
      "summary",
      null,
      el("span.tag", null, "model"),
      el("span.brief", null, about.filter(Boolean).join(" · ")),
    ),
    textOf(item.text) ? block(item.text, "prose") : el("p.empty", null, "It wrote no text."),
    item.calls.length ? el("p.note", null, `Calls: ${item.calls.join(", ")}`) : null,
  );
}

function note(item) {
  const long = textOf(item.text).length > 300;
  return el(
    `details.item.told${item.k === "invalid" || item.k === "stopped" ? ".failed" : ""}`,
    { open: !long },
    el(
      "summary",
      null,
      el("span.tag", null, Object.hasOwn(WORDS, item.k) ? WORDS[item.k] : item.k),
      item.turn ? el("span.brief", null, `turn ${item.turn}`) : null,
    ),
    block(item.text, "prose"),
  );
}
