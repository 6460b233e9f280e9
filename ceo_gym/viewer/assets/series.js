// Which charts there are: title, unit, lines. A line reads its values from a run.

const of = (name) => (run) => run.series[name];
const spend = (name) => (run) => run.spends[name];

function income(run) {
  const { subscriptions, app_ads: ads } = run.series;
  return (
    subscriptions &&
    subscriptions.map((usd, k) => (usd === null ? null : usd + ((ads && ads[k]) || 0)))
  );
}

const GROUPS_SHOWN = 7;

/** The lines of subscribers: the largest groups, and all others together. */
function groupLines(run) {
  const lines = run.groups.slice(0, GROUPS_SHOWN).map((group) => ({
    label: group.id,
    title: group.name ? `${group.id}: ${group.name}` : group.id,
    of: () => group.values,
  }));
  const rest = run.groups.slice(GROUPS_SHOWN);
  if (rest.length) {
    lines.push({
      label: `${rest.length} more`,
      title: rest.map((group) => group.id).join(", "),
      of: () =>
        rest[0].values.map((_, k) =>
          k ? rest.reduce((sum, group) => sum + (group.values[k] || 0), 0) : null,
        ),
    });
  }
  return lines;
}

/*
 * part: heading above it.  unit: of UNITS.  per: what the numbers count, after the title.
 * lines: {label, of(run)}, or a function of the run; the first is shown when runs are compared
 *   unless `compare` names lines of its own.
 * hiddenCauses: only which line it is is hidden.
 * hidden: all of it is hidden from the player.  A hidden line has `hidden` of its own.
 * stack: areas on one another.  log: logarithmic axis.  zero: the axis begins at 0.
 * ticks: {label, of(run)} marks weeks along the bottom.  forecasts: draws those of the week.
 */
const CHARTS = [
  {
    part: "Money",
    title: "Cash",
    per: "end of week",
    unit: "usd",
    forecasts: true,
    lines: [{ label: "Cash", of: of("cash") }],
  },
  {
    part: "Money",
    title: "Recurring revenue (MRR)",
    per: "a month",
    unit: "usd",
    zero: true,
    lines: [{ label: "MRR", of: of("mrr") }],
  },
  {
    part: "Money",
    title: "Income and spending",
    per: "a week",
    unit: "usd",
    zero: true,
    lines: [
      { label: "Income", of: income },
      { label: "Spending", of: spend("all") },
    ],
  },
  {
    part: "Money",
    title: "Spending by family",
    per: "a week",
    unit: "usd",
    stack: true,
    lines: [
      { label: "Advertising", of: spend("advertising") },
      { label: "Leads", of: spend("leads") },
      { label: "Development", of: spend("development") },
      { label: "Operations", of: spend("operations") },
      { label: "Capacity", of: spend("capacity") },
      { label: "Compute", of: spend("compute") },
      { label: "Research", of: spend("research") },
    ],
  },
  {
    part: "Customers",
    title: "Subscribers by group",
    per: "accounts",
    unit: "count",
    stack: true,
    lines: groupLines,
    compare: [
      { label: "All accounts", of: of("accounts") },
      { label: "Individuals", of: of("individuals") },
      { label: "Enterprises", of: of("firms") },
    ],
  },
  {
    part: "Customers",
    title: "Funnel",
    per: "a week, log scale",
    unit: "count",
    log: true,
    lines: [
      { label: "Prospects", of: of("prospects") },
      { label: "Individual leads", of: of("individual_leads") },
      { label: "Sign-ups", of: of("sign_ups") },
      { label: "Enterprise leads", of: of("firm_leads") },
      { label: "New enterprises", of: of("new_firms") },
    ],
  },
  {
    part: "Customers",
    title: "Individuals lost",
    per: "accounts a week",
    unit: "count",
    stack: true,
    lines: [
      { label: "By choice", of: of("gone_choice") },
      { label: "Involuntary", of: of("gone_involuntary") },
    ],
    compare: [
      { label: "All", of: of("cancellations") },
      { label: "By choice", of: of("gone_choice") },
      { label: "Involuntary", of: of("gone_involuntary") },
    ],
  },
  {
    part: "Customers",
    title: "Satisfaction",
    per: "mean",
    unit: "quality",
    hidden: true,
    lines: [
      { label: "Individuals", of: of("satisfaction_individual") },
      { label: "Enterprises", of: of("satisfaction_firm") },
    ],
  },
  {
    part: "Product and service",
    title: "Quality and expectations",
    per: "mean",
    unit: "quality",
    hidden: true,
    lines: [
      { label: "Individuals get", of: of("delivered_individual"), hue: 1 },
      {
        label: "expect",
        title: "individuals expect",
        of: of("required_individual"),
        hue: 1,
        dashed: true,
      },
      { label: "Enterprises get", of: of("delivered_firm"), hue: 2 },
      {
        label: "expect",
        title: "enterprises expect",
        of: of("required_firm"),
        hue: 2,
        dashed: true,
      },
    ],
  },
  {
    part: "Product and service",
    title: "Usage and capacity",
    per: "units a day",
    unit: "count",
    zero: true,
    lines: [
      { label: "Usage", of: of("usage") },
      { label: "Capacity", of: of("capacity"), dashed: true },
    ],
  },
  {
    part: "Product and service",
    title: "Peak load",
    per: "of the week",
    unit: "percent",
    zero: true,
    lines: [
      { label: "Use of capacity", of: of("use_peak") },
      { label: "Overload", of: of("overload") },
      { label: "Error rate", of: of("errors") },
    ],
    ticks: { label: "Outage", unit: "day", of: of("outages") },
  },
  {
    part: "Product and service",
    title: "Open tickets",
    per: "end of week",
    unit: "count",
    zero: true,
    lines: [{ label: "Open tickets", of: of("tickets") }],
  },
  {
    part: "Enterprise sales",
    title: "Negotiations",
    per: "end of week",
    unit: "count",
    zero: true,
    lines: [
      { label: "Open", of: of("threads_open") },
      { label: "Waiting for an answer", of: of("threads_waiting") },
    ],
  },
  {
    part: "Enterprise sales",
    title: "Talks",
    per: "a week",
    unit: "count",
    zero: true,
    lines: [
      { label: "Answered", of: of("answers") },
      { label: "Won", of: of("deals") },
      { label: "Leads lost", of: of("leads_lost") },
      { label: "Counter-offers", of: of("replies") },
      { label: "Requests", of: of("requests") },
    ],
  },
  {
    part: "Enterprise sales",
    title: "Enterprise seats",
    per: "end of week",
    unit: "count",
    zero: true,
    lines: [
      { label: "Subscribed", of: of("seats") },
      { label: "New in the week", of: of("new_seats") },
    ],
  },
  {
    part: "Enterprise sales",
    title: "Enterprises lost",
    per: "accounts a week",
    unit: "count",
    stack: true,
    hiddenCauses: true,
    lines: (run) =>
      run.series.gone_price
        ? [
            { label: "Price", of: of("gone_price") },
            { label: "Old ticket", of: of("gone_ticket") },
            { label: "Quality", of: of("gone_quality") },
            { label: "Quota", of: of("gone_quota") },
            { label: "Turned away", of: of("gone_rejected") },
          ]
        : [{ label: "All causes", of: of("gone_firms") }],
    compare: [
      { label: "All", of: of("gone_firms") },
      { label: "Price", of: of("gone_price") },
      { label: "Old ticket", of: of("gone_ticket") },
      { label: "Quality", of: of("gone_quality") },
      { label: "Quota", of: of("gone_quota") },
      { label: "Turned away", of: of("gone_rejected") },
    ],
  },
  {
    part: "Market",
    title: "Competitors",
    per: "shift of expectations, quality",
    unit: "quality",
    hidden: true,
    zero: true,
    lines: [{ label: "Shift so far", of: of("shift") }],
    ticks: { label: "Event", unit: "quality", of: of("shift_step") },
  },
  {
    part: "Market",
    title: "Business cycle",
    per: "index",
    unit: "index",
    lines: [
      { label: "Index", of: of("index"), hidden: true },
      { label: "Last reading published", of: of("reading"), dashed: true },
    ],
  },
];
