// The panel of the selected week: figures, reasons, forecasts, decisions, messages.

const closedParts = new Set(["messages", "notices", "posts"]); // stay as the reader leaves them
const hiddenSorts = new Set();
const CHANGES_SHOWN = 10;

/**
 * @param {object} run
 * @param {number} week from 1
 */
function weekPanel(run, week) {
  const about = run.weeks[week - 1];
  if (!about) {
    const why = run.played
      ? `This run ended with week ${run.played}, on day ${run.day}.`
      : "No week of this run has been played, and nothing was decided.";
    return [el("p.empty", null, why)];
  }
  const played = week < run.days.length;
  const happened = about.happened;
  return [
    played
      ? figures(run, week)
      : el("p.empty", null, "This week has not been played: what was decided so far."),
    part("said", "Rationale", about.said.length, said(run, about)),
    part(
      "forecasts",
      "Cash forecasts made before this week",
      about.forecasts.length,
      forecasts(run, about),
    ),
    part(
      "changes",
      "Settings changed",
      happened ? happened.changes.count : null,
      changes(run, happened),
    ),
    run.journal
      ? part("items", "What was asked and done", about.items.length, done(about))
      : keys(about),
    part(
      "messages",
      "Enterprise inbox",
      happened ? happened.messages.count : null,
      messages(run, happened),
    ),
    part("notices", "Notices", happened ? happened.notices.count : null, notices(run, happened)),
    part("posts", "Public posts", happened ? happened.posts.count : null, posts(run, happened)),
  ];
}

/** A part that opens and closes, and stays so from week to week. */
function part(id, title, count, content) {
  const made = el(
    "details.part",
    { open: !closedParts.has(id), "data-part": id },
    el(
      "summary",
      null,
      el("h3", null, title),
      count === null ? null : el("span.count", null, whole(count)),
    ),
    content,
  );
  made.addEventListener("toggle", () => (made.open ? closedParts.delete(id) : closedParts.add(id)));
  return made;
}

function figures(run, week) {
  const at = (name) => (run.series[name] ? run.series[name][week] : null);
  const before = run.series.cash[week - 1];
  const change = before === null || at("cash") === null ? null : at("cash") - before;
  const spent = run.spends.all ? run.spends.all[week] : null;
  const lost = at("cancellations") === null ? null : at("cancellations") + (at("gone_firms") || 0);
  const rows = [
    ["Cash", usd(at("cash")), change === null ? "" : `${signed(change, usd)} in the week`],
    ["MRR", usd(at("mrr")), `spending ${usd(spent)}`],
    ["Accounts", whole(at("accounts")), `${short(at("seats"))} enterprise seats`],
    [
      "Came / left",
      `${short(at("sign_ups") === null ? null : at("sign_ups") + at("new_firms"))} / ${short(lost)}`,
      `of ${short(at("prospects"))} prospects`,
    ],
    [
      "Peak load",
      percent(at("use_peak")),
      at("outages") ? `outage on ${plural(at("outages"), "day")}` : "no outage",
    ],
    ["Tickets", whole(at("tickets")), `${whole(at("threads_waiting"))} talks waiting`],
  ];
  return el(
    "dl.figures",
    null,
    rows.map(([name, value, more]) =>
      el("div", null, el("dt", null, name), el("dd", null, value), el("dd.more", null, more)),
    ),
  );
}

const nothing = (text) => el("p.empty", null, text);

function said(run, about) {
  if (about.said.length) return about.said.map((text) => el("blockquote", null, text));
  return nothing(run.journal ? "No rationale was given." : "A policy gives no rationale.");
}

function forecasts(run, about) {
  if (!about.forecasts.length) return nothing("No forecast was made.");
  const rows = about.forecasts.map((row) => {
    const open = row.actual === null;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, span(row.days)),
      el("td", null, usd(row.point)),
      el("td", null, `${usd(row.lower)} to ${usd(row.upper)}`),
      el("td", null, open ? NONE : usd(row.actual)),
      el(
        `td.${open ? "open" : row.held ? "good" : "bad"}`,
        null,
        open ? "not reached" : `${signed(row.error, percent)}, ${row.held ? "inside" : "outside"}`,
      ),
    );
  });
  const built = run.verified && about.forecasts.every((row) => !row.own);
  return [
    el(
      "table.forecasts",
      null,
      tableHead(["After", "Forecast", "Interval", "Came true", "Error"]),
      el("tbody", null, rows),
    ),
    built ? el("p.note", null, "These are the built-in forecaster's, none was handed in.") : null,
  ];
}

function changes(run, happened) {
  if (!happened) return unknown(run);
  const { count, rows } = happened.changes;
  if (!count) return nothing("No setting was changed.");
  const table = (some) =>
    el(
      "table.changes",
      null,
      el(
        "tbody",
        null,
        some.map(([name, before, after]) =>
          el(
            "tr",
            null,
            el("th", { scope: "row" }, settingName(name), el("span.unit", null, unitOf(name))),
            el("td", null, setting(name, before)),
            el("td.arrow", null, "→"),
            el("td", null, setting(name, after)),
          ),
        ),
      ),
    );
  const rest = rows.slice(CHANGES_SHOWN);
  return [
    table(rows.slice(0, CHANGES_SHOWN)),
    rest.length
      ? el(
          "details.rest",
          null,
          el("summary", null, `${whole(count - CHANGES_SHOWN)} more`),
          table(rest),
          more(count, rows),
        )
      : null,
  ];
}

/** The name of a setting in words; ids of groups stay as they are. */
function settingName(name) {
  return name
    .split(", ")
    .map((word) => (/[A-Z]/.test(word) ? word : word.replaceAll("_", " ").replace("targeted ", "")))
    .join(", ");
}

function unitOf(name) {
  const [first] = name.split(", ");
  if (first.startsWith("targeted_")) return "a day";
  return { prices: "a month", promotion: "a month", usage_quotas: "units a day" }[first] || "";
}

/** A value of a setting; dollars where it is money. */
function setting(name, value) {
  if (typeof value !== "number") return String(value);
  const text = Number.isInteger(value)
    ? whole(value)
    : Number(value.toPrecision(4)).toLocaleString("en-US");
  return /^(prices|promotion|lead_promotion|\w+_spend)\b/.test(name) ? `$${text}` : text;
}

function done(about) {
  if (!about.items.length) return nothing("Nothing was asked or done before this week.");
  const box = el("div");
  const draw = () => {
    const list = entryList(about.items, hiddenSorts);
    fill(box, list.children.length ? list : nothing("All that was done is filtered out."));
  };
  const boxes = SORTS.map((sort) => {
    const count = about.items.filter(sort.holds).length;
    const check = el("input", {
      type: "checkbox",
      checked: !hiddenSorts.has(sort.id),
      disabled: !count,
    });
    check.addEventListener("change", () => {
      if (check.checked) hiddenSorts.delete(sort.id);
      else hiddenSorts.add(sort.id);
      draw();
    });
    return el("label", null, check, ` ${sort.label} `, el("span.count", null, count));
  });
  draw();
  return [el("div.sorts", { role: "group", "aria-label": "Entries that are shown" }, boxes), box];
}

function keys(about) {
  const list = about.keys.map(([kind, name, count]) =>
    el(
      "li",
      null,
      el("code", null, name),
      kind === "tool" ? ` tool, ${plural(count, "call")}` : null,
    ),
  );
  return part(
    "keys",
    "Keys of the action that were used",
    list.length,
    list.length ? el("ul.keys", null, list) : nothing("The policy left everything as it was."),
  );
}
