// The table of runs above the charts; in comparisons its names switch their lines.

const HORIZONS = { 7: "1", 28: "4", 84: "12", 182: "26 wk" };

/**
 * @param {Array} runs
 * @param {object} state
 * @param {function(number)} toggle is told of a run whose lines are switched
 */
function runTable(runs, state, toggle) {
  const talked = runs.some((run) => run.counts.turns);
  const names = [
    "Run",
    "Player",
    "World · seed",
    "Final cash",
    "Outcome",
    "Days",
    "Weeks",
    "Calls",
    "Refused",
    "Programs",
  ];
  if (talked) names.push("Model");
  const horizons = [...new Set(runs.flatMap((run) => run.calibration.map((row) => row.days)))].sort(
    (a, b) => a - b,
  );
  names.push(
    `Forecasts held${horizons.length ? `, ${horizons.map((days) => HORIZONS[days] || days + " d").join(" / ")}` : ""}`,
  );
  return el(
    "div.table-box",
    { tabindex: "0", role: "region", "aria-label": "Table of the runs" },
    el(
      "table.runs",
      null,
      tableHead(names),
      el(
        "tbody",
        null,
        runs.map((run, index) => runRow(run, index, state, toggle, talked, horizons)),
      ),
    ),
  );
}

function runRow(run, index, state, toggle, talked, horizons) {
  const { counts } = run;
  const share = counts.errors === null || !counts.calls ? null : counts.errors / counts.calls;
  const failed = counts.failed ? `, ${whole(counts.failed)} failed` : "";
  const mark = [swatch(runColour(index)), el("span", null, run.name)];
  const name = state.compare
    ? el(
        "button.entry",
        {
          type: "button",
          "aria-pressed": String(state.visible.includes(index)),
          "data-key": `show-${index}`,
          click: () => toggle(index),
          title: "Show or hide the lines of this run",
        },
        mark,
      )
    : el("span.entry", null, mark);
  return el(
    "tr",
    null,
    el("th", { scope: "row" }, name),
    el("td", null, run.player),
    el("td", null, `${run.env} · ${run.seed}`),
    el(`td.number${run.cash !== null && run.cash < 0 ? ".bad" : ""}`, null, dollars(run.cash)),
    el(`td.outcome.${run.outcome}`, null, run.outcome),
    el("td.number", null, run.horizon ? `${run.day} of ${run.horizon}` : run.day),
    el("td.number", null, run.played),
    el("td.number", null, run.journal || counts.calls ? whole(counts.calls) : NONE),
    el("td.number", null, share === null ? NONE : `${counts.errors} (${tenth(share)})`),
    el("td.number", null, counts.programs === null ? NONE : whole(counts.programs) + failed),
    talked ? el("td.number", null, modelUse(counts)) : null,
    el("td", null, calibration(run, horizons)),
  );
}

/** Turns of a language model and what they cost. */
function modelUse(counts) {
  if (!counts.turns) return NONE;
  const cost = typeof counts.cost_usd === "number" ? `, $${counts.cost_usd.toFixed(2)}` : "";
  return plural(counts.turns, "turn") + cost;
}

/** For each horizon the share of forecasts whose interval held the cash. */
function calibration(run, horizons) {
  if (!horizons.length) return NONE;
  return el(
    "span.calibration",
    null,
    horizons.map((days, k) => {
      const row = run.calibration.find((each) => each.days === days);
      const known = row && row.count;
      const title = known
        ? `${plural(row.count, "forecast")} for ${span(days)}: ${percent(row.held)} of the intervals held the cash (95% aimed at), median error ${percent(row.error)}`
        : `the day of no forecast for ${span(days)} was reached`;
      return [
        k ? " / " : null,
        el("b", { title }, known ? percent(Math.round(row.held * 100) / 100) : NONE),
      ];
    }),
    isBuiltIn(run) ? " built-in" : null,
  );
}

/** Whether none of the forecasts is the player's own. */
function isBuiltIn(run) {
  return run.verified && run.weeks.every((week) => week.forecasts.every((row) => !row.own));
}

/** What is known beside the table, and why a run could not be verified. */
function runNotes(runs) {
  return runs.map((run) =>
    el(
      `p.verdict${run.verified ? "" : ".failed"}`,
      run.verified ? null : { role: "alert" },
      el("span", { "aria-hidden": "true" }, run.verified ? "✓ " : "✗ "),
      el("b", null, run.name),
      ": ",
      run.verified ? run.verdict : `NOT verified. ${run.verdict}`,
      el("span.more", null, ` · ${run.about}`),
    ),
  );
}
