/** The longest line, in characters; longer ones wrap between words. */
const COLUMNS = 96;
const SIZE = 14;
const LINE = 20;
const MARGIN = 20;
/** The height of the bar at the top. */
const BAR = 32;
/** The fonts of readers have different widths, of at most 0.62 of their size. */
const WIDTH = Math.ceil(COLUMNS * SIZE * 0.62) + 2 * MARGIN;

/** Matches a character, with the codes of its style. */
const CHARACTER = String.raw`(?:\x1b\[\d+m)*[^\x1b](?:\x1b\[\d+m)*`;
/** Matches what fits on a line: all of it, or words, or a part of a long word. */
const FITTING = RegExp(
  `^(?:${CHARACTER}){0,${COLUMNS}}$|` +
    `^(?:${CHARACTER}){${COLUMNS / 2},${COLUMNS}}(?= )|` +
    `^(?:${CHARACTER}){${COLUMNS}}`,
);

/** The styles by the codes of ANSI. */
const STYLE = `<style>
text {
  font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #202724;
}
.c1, .c31, .c32, .c33 { font-weight: bold; }
.c2 { fill: #5f6964; }
.c31 { fill: #b3261e; }
.c32 { fill: #1b6440; }
.c33 { fill: #8a5a00; }
</style>`;

/** Draws lines, which may have colors of ANSI, as a terminal in SVG. */
export function drawTerminal(text: string): string {
  const lines = text.trimEnd().split("\n").flatMap(wrap);
  const top = BAR + MARGIN + SIZE;
  const height = top + lines.length * LINE + 4;
  const rows = lines.map((line, index) =>
    `<text x="${MARGIN}" y="${top + index * LINE}">${markup(line)}</text>`
  );
  const dots = [0, 1, 2].map((index) =>
    `<circle cx="${MARGIN + 6 + index * 20}" cy="17" r="6" fill="#c3cac3" />`
  );
  const size = `width="${WIDTH}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${WIDTH} ${height}">`,
    STYLE,
    `<rect ${size} rx="8" fill="#c3cac3" />`,
    `<rect x="1" y="1" width="${WIDTH - 2}" height="${
      height - 2
    }" rx="7" fill="#fbfcfa" />`,
    `<path d="M1 ${BAR}.5h${WIDTH - 2}" stroke="#e2e6df" />`,
    ...dots,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

/** Wraps a line; the lines after the first are indented. */
function wrap(line: string): string[] {
  const indent = " ".repeat(line.search(/[^ ]/) + 2);
  const lines: string[] = [];
  let rest = line;
  do {
    const [fitting] = FITTING.exec(rest)!;
    lines.push(fitting);
    rest = rest.slice(fitting.length).replace(/^ */, indent);
  } while (rest !== indent);
  return lines;
}

function markup(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll("\x1b[0m", "</tspan>")
    // deno-lint-ignore no-control-regex
    .replaceAll(/\x1b\[(\d+)m/g, '<tspan class="c$1">')
    // SVG and Vite shorten other spaces.
    .replaceAll(/(?<=^| ) | (?= )/g, "&#160;");
}
