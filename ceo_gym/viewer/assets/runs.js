// The table of runs above the charts; in comparisons its names switch their lines.

const HORIZONS = { 7: "1 wk", 28: "4 wk", 84: "12 wk", 182: "26 wk" };

/**
 * @param {Array} runs
 * @param {object} state
 * @param {function(number)} toggle is told of a run whose lines are switched
 */
function runTable(runs, state, toggle) {
  const talked = runs.some((run) => run.counts.turns);
  const names = ["Run", "Player", "World", "Final cash", "Outcome", "Survived", "Weeks", "Calls", "Refused", "Programs"];
  if (talked) names.push("Model turns", "Cost");
  names.push("Cash within forecast interval", "Record");
  return el(
    "div.table-box",
    { tabindex: "0", role: "region", "aria-label": "Table of the runs" },
    el(
      "table.runs",
      null,
      el("thead", null, el("tr", null, names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, runs.map((run, index) => runRow(run, index, state, toggle, talked))),
    ),
  );
}

function runRow(run, index, state, toggle, talked) {
  const { counts } = run;
  const share = counts.errors === null || !counts.calls ? null : counts.errors / counts.calls;
  const failed = counts.failed ? `, ${whole(counts.failed)} failed` : "";
  const mark = [swatch(`--run-${index + 1}`), el("span", null, run.name)];
  const name = state.compare
    ? el("button.entry", { type: "button", "aria-pressed": String(state.visible.includes(index)), "data-key": `show-${index}`, click: () => toggle(index), title: "Show or hide the lines of this run" }, mark)
    : el("span.entry", null, mark);
  return el(
    "tr",
    null,
    el("th", { scope: "row" }, name),
    el("td", null, run.player),
    el("td", null, `${run.env}, seed ${run.seed}`),
    el(`td.number${run.cash !== null && run.cash < 0 ? ".bad" : ""}`, null, dollars(run.cash)),
    el(`td.outcome.${run.outcome}`, null, run.outcome),
    el("td.number", null, run.horizon ? `${run.day} of ${run.horizon} d` : `${run.day} d`),
    el("td.number", null, run.played),
    el("td.number", null, whole(counts.calls)),
    el("td.number", null, share === null ? NONE : `${counts.errors} (${percent(share)})`),
    el("td.number", null, counts.programs === null ? NONE : whole(counts.programs) + failed),
    talked ? [el("td.number", null, whole(counts.turns)), el("td.number", null, typeof counts.cost_usd === "number" ? `$${counts.cost_usd.toFixed(2)}` : NONE)] : null,
    el("td", null, calibration(run)),
    el(`td.${run.verified ? "good" : "bad"}`, { title: run.verdict }, run.verified ? "verified bit for bit" : "not verified"),
  );
}

/** For each horizon the share of forecasts whose interval held the cash. */
function calibration(run) {
  const rows = run.calibration.filter((row) => row.count);
  if (!rows.length) return NONE;
  return el("span.calibration", null, rows.map((row) =>
    el("span", { title: `${row.count} forecasts for ${span(row.days)}: ${percent(row.held)} held the cash (95% aimed at), median error ${percent(row.error)}` },
      el("b", null, percent(Math.round(row.held * 100) / 100)), ` ${HORIZONS[row.days] || span(row.days)}`)));
}

/** What is known beside the table, and why a run could not be verified. */
function runNotes(runs) {
  return runs.map((run) => el(`p.verdict${run.verified ? "" : ".failed"}`, run.verified ? null : { role: "alert" }, el("b", null, run.name), ": ", run.verified ? run.verdict : `NOT verified. ${run.verdict}`, el("span.more", null, ` · ${run.about}`)));
}
