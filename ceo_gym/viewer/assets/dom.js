// Elements. All data come onto the page as text nodes; no markup is ever made from them.

/**
 * An element.
 * @param {string} tag "name" or "name.class.class"
 * @param {object|null} about attributes; functions are listeners ("click", …)
 * @param {...*} children elements, texts, lists of them; null is nothing
 */
function el(tag, about, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(about || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...flat(children));
  return made;
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** Replace what an element holds. */
function fill(element, ...children) {
  element.replaceChildren(...flat(children));
}

/** The head of a table. */
function tableHead(names) {
  const cells = names.map((name) => el("th", { scope: "col" }, name));
  return el("thead", null, el("tr", null, cells));
}

/** A coloured mark; the colour is the name of a custom property of the style sheet. */
function swatch(colour, dashed) {
  const made = el(dashed ? "span.swatch.dashed" : "span.swatch", { "aria-hidden": "true" });
  made.style.setProperty("--mark", `var(${colour})`);
  return made;
}

/** A text that may have been cut: a string, or [its beginning, all its characters]. */
function textOf(text) {
  return Array.isArray(text) ? text[0] : text || "";
}

/** A block of code or output; says how much of it was cut. */
function block(text, kind) {
  if (!textOf(text)) return null;
  return [
    el(`pre.${kind}`, { tabindex: "0" }, textOf(text)),
    Array.isArray(text)
      ? el("p.note", null, `The first ${whole(text[0].length)} of ${whole(text[1])} characters.`)
      : null,
  ];
}

const RUN_COLOURS = 8; // of the style sheet

/** The colour of a run by its position; after the last the first again. */
function runColour(index) {
  return `--run-${(index % RUN_COLOURS) + 1}`;
}

/** A value of a custom property of the style sheet, for canvases. */
function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
