// What is drawn on the canvas of a chart: columns, axes, marks, forecasts.

/** The last day of a week; of one beyond the end of a run, where it would end. */
function dayOf(run, week) {
  return week < run.days.length ? run.days[week] : week * 7;
}

/** The aligned table that uPlot takes: days, then a column for each line. */
function table(lines, stacked) {
  const days = [...new Set(lines.flatMap((line) => line.days))].sort((a, b) => a - b);
  const sums = days.map(() => 0);
  const columns = lines.map((line) => {
    const at = new Map(line.days.map((day, k) => [day, line.values[k]]));
    return days.map((day, k) => {
      const value = at.has(day) ? at.get(day) : null;
      if (!stacked || value === null) return value;
      return (sums[k] += value);
    });
  });
  return [days, ...columns];
}

function options(spec, lines, stacked, state, box, runs, read) {
  const format = AXES[spec.unit];
  const axis = {
    stroke: colourOf("--muted"),
    font: "11px system-ui, sans-serif",
    ticks: { show: false },
  };
  const grid = { stroke: colourOf("--grid"), width: 1 };
  const only = spec.log ? { filter: tens } : {};
  const days = lines.flatMap((line) => line.days);
  const last = Math.max(...days, 7);
  return {
    width: box.clientWidth,
    height: box.clientHeight,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      sync: { key: "weeks" },
      points: { size: 5 },
      focus: { prox: -1 },
    },
    scales: {
      x: { time: false, range: () => [0, last] },
      y: {
        distr: spec.log ? 3 : 1,
        range: spec.log ? logRange : (_, low, high) => range(spec, stacked, low, high),
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        gap: 5,
        values: (_, splits) => splits.map(String),
      },
      {
        ...axis,
        ...only,
        grid: { ...grid, ...only },
        size: 48,
        gap: 5,
        space: 26,
        values: (_, splits) => splits.map((value) => (value === null ? "" : format(value))),
      },
    ],
    series: [
      {},
      ...lines.map((line) => {
        const colour = colourOf(line.colour);
        return {
          label: line.label,
          stroke: colour,
          width: stacked ? 1 : 1.75,
          dash: line.dashed ? [5, 4] : undefined,
          fill: stacked ? colour + "66" : undefined,
          spanGaps: state.compare,
          points: { show: line.days.length < 4, size: 5 },
        };
      }),
    ],
    bands: stacked ? lines.slice(1).map((_, k) => ({ series: [k + 2, k + 1] })) : [],
    hooks: {
      setCursor: [
        (plot) => {
          const at = plot.cursor.idx;
          const hovered = plot.cursor.left >= 0 && at !== null && at !== undefined;
          read(hovered ? plot.data[0][at] : dayOf(runs[state.focus], currentWeek()));
        },
      ],
      draw: [
        (plot) => {
          nameDays(plot);
          if (spec.ticks && !state.compare)
            drawTicks(plot, spec.ticks.of(runs[state.focus]), runs[state.focus].days);
          if (spec.forecasts)
            drawForecasts(
              plot,
              runs[state.focus],
              state.compare ? runColour(state.focus) : "--ink",
            );
        },
      ],
    },
  };
}

function range(spec, stacked, low, high) {
  if (low === null || (low === 0 && high === 0)) return [0, 1];
  const from = spec.zero || stacked || (low > 0 && low < high * 0.4) ? Math.min(0, low) : low;
  const room = (high - from || Math.abs(high) || 1) * 0.06;
  return [from === 0 ? 0 : from - room, high + room];
}

function logRange(_, low, high) {
  if (low === null) return [1, 10];
  return [Math.pow(10, Math.floor(Math.log10(low))), Math.max(high * 1.3, low * 10)];
}

/** Of the lines of a logarithmic axis only the powers of ten. */
function tens(_, splits) {
  return splits.map((value) =>
    Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9 ? value : null,
  );
}

/** The unit of the horizontal axis, left of its numbers. */
function nameDays({ ctx, bbox }) {
  ctx.save();
  ctx.fillStyle = colourOf("--muted");
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = "top";
  ctx.fillText(
    "day",
    bbox.left - 12 * devicePixelRatio,
    bbox.top + bbox.height + 6 * devicePixelRatio,
  );
  ctx.restore();
}

/** Marks along the bottom for the weeks with a value above 0. */
function drawTicks(plot, values, days) {
  if (!values) return;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colourOf("--bad");
  values.forEach((value, k) => {
    if (!value) return;
    const x = plot.valToPos(days[k], "x", true);
    ctx.fillRect(
      Math.round(x - devicePixelRatio),
      bbox.top + bbox.height - 9 * devicePixelRatio,
      2 * devicePixelRatio,
      9 * devicePixelRatio,
    );
  });
  ctx.restore();
}

/** The forecasts made before the selected week: an interval and a point at each day foretold. */
function drawForecasts(plot, run, colour) {
  const week = currentWeek();
  const rows = (run.weeks[week - 1] || {}).forecasts || [];
  const { ctx, bbox } = plot;
  const made = run.days[week - 1];
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = colourOf(colour);
  ctx.lineWidth = 1.25 * pixel;
  for (const row of rows) {
    const x = Math.round(plot.valToPos(made + row.days, "x", true));
    const [top, middle, bottom] = [row.upper, row.point, row.lower].map((usd) =>
      plot.valToPos(usd, "y", true),
    );
    ctx.beginPath();
    for (const [x1, y1, x2, y2] of [
      [x, top, x, bottom],
      [x - 3 * pixel, top, x + 3 * pixel, top],
      [x - 3 * pixel, bottom, x + 3 * pixel, bottom],
    ]) {
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
    }
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(x, middle, 2.5 * pixel, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}
