// What came in a week: messages of enterprises, notices, public posts.

function messages(run, happened) {
  if (!happened) return unknown(run);
  if (!happened.kept) return nothing('This world keeps no messages (record "none").');
  const { count, rows, kinds } = happened.messages;
  if (!count) return nothing("No enterprise wrote in this week.");
  const lines = rows.map(([day, who, group, seats, text]) => [
    day,
    `${group}, customer ${who}, ${plural(seats, "seat")}`,
    text,
  ]);
  return [kindsLine(kinds), newsList(lines), more(count, rows)];
}

function notices(run, happened) {
  if (!happened) return unknown(run);
  if (!happened.kept) return nothing('This world keeps no notices (record "none").');
  const { count, rows, kinds } = happened.notices;
  if (!count) return nothing("No notice came in this week.");
  const lines = rows.map(([day, type, text]) => [day, type.replaceAll("_", " "), text]);
  return [kindsLine(kinds), newsList(lines), more(count, rows)];
}

function posts(run, happened) {
  if (!happened) return unknown(run);
  const { count, rows } = happened.posts;
  if (!count) return nothing("Nobody posted in this week.");
  const lines = rows.map(([day, group, text]) => [day, group || "public", text]);
  return [newsList(lines), more(count, rows)];
}

/** Lines of day, who, text. */
function newsList(lines) {
  const line = ([day, who, text]) =>
    el(
      "li",
      null,
      el("span.when", null, `day ${day}`),
      el("span.who", null, who),
      el("span.text", null, text),
    );
  return el("ul.news", null, lines.map(line));
}

/** How many there are of each kind. */
function kindsLine(kinds) {
  return el(
    "p.note",
    null,
    kinds.map(([name, count]) => `${name.replaceAll("_", " ")} ${whole(count)}`).join(" · "),
  );
}

function more(count, rows) {
  return count > rows.length ? el("p.note", null, `and ${whole(count - rows.length)} more`) : null;
}

function unknown(run) {
  return nothing(
    run.replayed ? "This week was not played." : "Not known: the run could not be played again.",
  );
}
