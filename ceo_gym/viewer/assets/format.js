// Numbers in words: short ones for axes, exact enough ones for readings.

const NONE = "–";

/** A number with k, M or B and three digits. */
function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  for (const [unit, scale] of [
    ["B", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ]) {
    if (size >= scale * 0.99995) return sign + trimmed(size / scale) + unit;
  }
  return sign + trimmed(size);
}

function trimmed(size) {
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2;
  const text = size < 0.01 && size > 0 ? size.toPrecision(1) : size.toFixed(digits);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

/** Dollars, short. */
function usd(value) {
  const text = short(value);
  return text === NONE ? text : text.startsWith("−") ? "−$" + text.slice(1) : "$" + text;
}

/** Dollars, every one of them. */
function dollars(value) {
  if (value === null) return NONE;
  return (value < 0 ? "−$" : "$") + Math.abs(Math.round(value)).toLocaleString("en-US");
}

/** A whole number with separators. */
function whole(value) {
  return value === null || value === undefined ? NONE : Math.round(value).toLocaleString("en-US");
}

/** A share as per cent. */
function percent(value) {
  if (value === null || value === undefined) return NONE;
  const size = Math.abs(value * 100);
  const sign = value < 0 ? "−" : "";
  return sign + (size >= 1000 ? whole(size) : trimmed(Math.round(size * 100) / 100)) + "%";
}

/** A share of a few, with one digit. */
function tenth(value) {
  return value === null || value === undefined ? NONE : percent(Math.round(value * 1000) / 1000);
}

/** A change, with its sign. */
function signed(value, format) {
  return value === null ? NONE : (value > 0 ? "+" : "") + format(value);
}

/** "1 call", "2 calls". */
function plural(count, one, many) {
  return `${whole(count)} ${count === 1 ? one : many || one + "s"}`;
}

/** Days in words: weeks where they are whole. */
function span(days) {
  return days % 7 ? `${days} d` : plural(days / 7, "week");
}

const UNITS = {
  usd: usd,
  count: short,
  percent: percent,
  quality: (value) =>
    value === null || value === undefined ? NONE : value.toFixed(3).replace("-", "−"),
  index: (value) => (value === null || value === undefined ? NONE : value.toFixed(1)),
};

// on axes, where a few digits are enough
const AXES = { ...UNITS, quality: short, index: short };
