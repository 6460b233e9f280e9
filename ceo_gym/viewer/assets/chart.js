// One chart: its head with a legend that reads the week, its canvas, the line at the week.

const HUES = 8; // --hue-1 … of the style sheet

/** What tells a line from the others of its chart. */
const nameOf = (line) => line.title || line.label;

/**
 * @param {object} spec one of CHARTS
 * @param {Array} runs all runs of the page
 * @param {function(number)} choose is told of a week that was clicked
 */
function makeChart(spec, runs, choose) {
  const box = el("div.plot");
  const legend = el("div.legend");
  const picker = el("select", {
    "aria-label": `Line of the chart ${spec.title}`,
    change: () => rebuild(),
  });
  const figure = el(
    "figure.chart",
    null,
    el(
      "figcaption",
      null,
      el("span.title", null, spec.title),
      el("span.per", null, spec.per),
      spec.hidden ? el("span.hidden-mark", { title: "hidden from the player" }, "hidden") : null,
      spec.hiddenCauses
        ? el(
            "span.hidden-mark",
            { title: "the causes are hidden from the player" },
            "causes hidden",
          )
        : null,
      picker,
    ),
    legend,
    box,
  );
  const off = new Set(); // names of lines that are switched off
  let state = null;
  let plot = null;
  let shown = null; // what is drawn, see linesOf
  let marker = null;

  function choices() {
    const lines =
      spec.compare || (typeof spec.lines === "function" ? spec.lines(runs[0]) : spec.lines);
    return lines.filter((line) => runs.some((run) => line.of(run)));
  }
  const compared = choices();
  fill(
    picker,
    compared.map((line, k) => el("option", { value: k }, line.title || line.label)),
  );

  /** The lines to draw: [{label, values, days, colour, dashed, hidden}]. */
  function linesOf() {
    if (state.compare) {
      const line = compared[picker.value];
      if (!line) return [];
      return state.visible
        .map((index) => ({ index, run: runs[index], values: line.of(runs[index]) }))
        .filter(({ values }) => values)
        .map(({ index, run, values }) => ({
          label: run.name,
          values,
          days: run.days,
          colour: runColour(index),
        }));
    }
    const run = runs[state.focus];
    const lines = typeof spec.lines === "function" ? spec.lines(run) : spec.lines;
    return lines
      .map((line, k) => ({
        ...line,
        values: line.of(run),
        days: run.days,
        colour: `--hue-${line.hue || (k % HUES) + 1}`,
      }))
      .filter(({ values }) => values && values.some((value) => value !== null));
  }

  function rebuild() {
    const stacked = spec.stack && !state.compare;
    shown = linesOf();
    picker.hidden = !state.compare || compared.length < 2;
    if (plot) plot.destroy();
    plot = null;
    buildLegend(stacked);
    if (!shown.length) {
      const run = runs[state.focus];
      const why =
        run.played === 0
          ? "No week has been played."
          : run.replayed
            ? "There was nothing of this in the run."
            : "The record does not hold this, and the run could not be played again.";
      fill(box, el("p.empty", null, why));
      return;
    }
    fill(box);
    plot = new uPlot(
      options(spec, shown, stacked, state, box, runs, read),
      table(shown, stacked, off),
      box,
    );
    marker = el("div.week-line", { "aria-hidden": "true" });
    plot.over.append(marker);
    plot.over.addEventListener("click", () => {
      const day = plot.posToVal(plot.cursor.left, "x");
      choose(Math.max(1, Math.round(day / 7)));
    });
    shown.forEach((line, k) => {
      if (off.has(nameOf(line)) && !stacked) plot.setSeries(k + 1, { show: false });
    });
    select();
  }

  function buildLegend(stacked) {
    fill(
      legend,
      shown.map((line, k) => {
        const content = [
          swatch(line.colour, line.dashed),
          el("span.name", null, line.label),
          (line.value = el("span.value")),
        ];
        // room for the longest, so that nothing moves from week to week
        const longest = Math.max(...line.values.map((value) => UNITS[spec.unit](value).length));
        line.value.style.minWidth = `${longest + 0.5}ch`;
        const title = (line.title || line.label) + (line.hidden ? " (hidden from the player)" : "");
        if (line.hidden) content.splice(2, 0, el("span.hidden-mark", null, "hidden"));
        if (stacked || shown.length < 2) return el("span.entry", { title }, content);
        const toggle = el(
          "button.entry",
          { type: "button", title, "aria-pressed": String(!off.has(nameOf(line))) },
          content,
        );
        toggle.addEventListener("click", () => {
          const show = off.has(nameOf(line));
          if (show) off.delete(nameOf(line));
          else off.add(nameOf(line));
          toggle.setAttribute("aria-pressed", String(show));
          plot.setSeries(k + 1, { show });
        });
        return toggle;
      }),
      spec.ticks && !state.compare && shown.length
        ? el(
            "span.entry",
            { title: spec.ticks.label },
            el("span.swatch.tick", { "aria-hidden": "true" }),
            el("span.name", null, spec.ticks.label),
            (spec.tickValue = el("span.value")),
          )
        : null,
    );
  }

  /** Write the values of a day into the legend. */
  function read(day) {
    for (const line of shown) {
      const at = line.days.indexOf(day);
      line.value.textContent = UNITS[spec.unit](at < 0 ? null : line.values[at]);
    }
    if (spec.ticks && !state.compare && shown.length) {
      const run = runs[state.focus];
      const values = spec.ticks.of(run);
      const value = values ? values[run.days.indexOf(day)] : null;
      spec.tickValue.textContent = value
        ? spec.ticks.unit === "day"
          ? plural(value, "day")
          : UNITS[spec.ticks.unit](value)
        : "none";
    }
  }

  /** Put the line at the selected week. */
  function select() {
    const day = dayOf(runs[state.focus], state.week);
    read(day);
    if (!plot) return;
    const left = plot.valToPos(day, "x");
    marker.style.transform = `translateX(${Math.round(left)}px)`;
    marker.hidden = left < 0 || left > plot.over.clientWidth + 1;
    if (spec.forecasts) plot.redraw(false, false);
  }

  return {
    figure,
    update(next) {
      const same =
        state &&
        state.compare === next.compare &&
        state.visible.join() === next.visible.join() &&
        state.theme === next.theme &&
        (next.compare || state.focus === next.focus);
      state = next;
      if (same) select();
      else rebuild();
    },
    resize() {
      if (!plot || (plot.width === box.clientWidth && plot.height === box.clientHeight)) return;
      plot.setSize({ width: box.clientWidth, height: box.clientHeight });
      select();
    },
  };
}
