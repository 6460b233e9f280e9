// What is selected, and everything that follows from it.

const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const state = {
  compare: runs.length > 1,
  focus: 0, // the run whose week is shown
  week: Math.max(1, runs[0].played),
  visible: runs.map((_, index) => index), // in comparisons
  theme: 0, // counts changes between light and dark
};
const slider = document.getElementById("week-slider");
const panel = document.getElementById("week");
let charts = [];

/** The last week that can be selected: of the runs that are shown. */
function lastWeek() {
  const shown = state.compare ? runs : [runs[state.focus]];
  return Math.max(1, ...shown.map((run) => run.weeks.length));
}

function currentWeek() {
  return state.week;
}

function choose(week) {
  const next = Math.min(lastWeek(), Math.max(1, week));
  if (next === state.week) return;
  state.week = next;
  showWeek();
  charts.forEach((chart) => chart.update({ ...state }));
}

function focusOn(index, compare) {
  state.focus = index;
  state.compare = compare;
  state.week = Math.min(state.week, lastWeek());
  showAll();
}

function toggleRun(index) {
  const visible = new Set(state.visible);
  if (!visible.delete(index)) visible.add(index);
  state.visible = [...visible].sort((a, b) => a - b);
  showAll();
}

function showAll() {
  const focused = document.activeElement && document.activeElement.dataset.key; // of a button made anew
  showModes();
  fill(document.getElementById("runs"), runTable(runs, state, toggleRun), runNotes(runs));
  charts.forEach((chart) => chart.update({ ...state }));
  charts.forEach((chart) => chart.resize()); // a legend of more lines makes its whole row higher
  showWeek();
  const again = focused && document.querySelector(`[data-key="${focused}"]`);
  if (again) again.focus();
}

function showModes() {
  if (runs.length < 2) return;
  const pill = (key, pressed, click, ...content) =>
    el(
      "button",
      { type: "button", "aria-pressed": String(pressed), "data-key": key, click },
      content,
    );
  fill(
    document.getElementById("modes"),
    pill("all", state.compare, () => focusOn(state.focus, true), "Compare"),
    runs.map((run, index) =>
      pill(
        `run-${index}`,
        !state.compare && state.focus === index,
        () => focusOn(index, false),
        swatch(runColour(index)),
        run.name,
      ),
    ),
  );
}

function showWeek() {
  const run = runs[state.focus];
  const { week } = state;
  const played = week < run.days.length;
  const days = played
    ? `days ${run.days[week - 1] + 1} to ${run.days[week]}`
    : `from day ${(week - 1) * 7 + 1}`;
  slider.max = lastWeek();
  slider.value = week;
  slider.setAttribute("aria-valuetext", `week ${week}, ${days}`);
  fill(
    document.getElementById("week-reading"),
    el("b", null, `Week ${week}`),
    ` of ${lastWeek()}`,
    el("span.days", null, days),
  );
  const top = panel.scrollTop;
  const tabs = state.compare
    ? el(
        "div.pills",
        { role: "group", "aria-label": "The run whose week is shown" },
        runs.map((each, index) =>
          el(
            "button",
            {
              type: "button",
              "aria-pressed": String(index === state.focus),
              "data-key": `week-${index}`,
              click: () => focusOn(index, true),
            },
            swatch(runColour(index)),
            each.name,
          ),
        ),
      )
    : null;
  fill(
    panel,
    el("h2", null, `Week ${week}`, el("span.days", null, days)),
    tabs,
    weekPanel(run, week),
  );
  panel.scrollTop = top;
}

function buildCharts() {
  const room = document.getElementById("charts");
  const parts = new Map();
  for (const spec of CHARTS) {
    if (!parts.has(spec.part)) parts.set(spec.part, []);
    const chart = makeChart(spec, runs, choose);
    parts.get(spec.part).push(chart.figure);
    charts.push(chart);
  }
  fill(
    room,
    [...parts].map(([title, figures]) =>
      el("section.part-of-charts", null, el("h2", null, title), el("div.grid", null, figures)),
    ),
  );
}

const STEPS = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -4,
  PageUp: 4,
  Home: -Infinity,
  End: Infinity,
};

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in STEPS)) return;
  const onSlider = event.target === slider;
  const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
  // elsewhere the other keys scroll the page, and a text field or a list has its own use of arrows
  if (!onSlider && (!sideways || event.target.closest("input, select, pre"))) return;
  event.preventDefault();
  choose(state.week + STEPS[event.key]);
}

slider.addEventListener("input", () => choose(Number(slider.value)));
document.getElementById("week-before").addEventListener("click", () => choose(state.week - 1));
document.getElementById("week-after").addEventListener("click", () => choose(state.week + 1));
document.addEventListener("keydown", onKey);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  state.theme += 1;
  charts.forEach((chart) => chart.update({ ...state }));
});
document.title = `${runs.map((run) => run.name).join(", ")} · ceo-gym view`;
document.getElementById("about").textContent =
  `Written by ceo-gym ${data.version} view. The mark “hidden” is on what a player could not know.`;
buildCharts();
showAll();
document.body.classList.add("ready");
new ResizeObserver(() => charts.forEach((chart) => chart.resize())).observe(
  document.getElementById("charts"),
);
