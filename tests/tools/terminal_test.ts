import { assertEquals } from "@std/assert";
import { drawTerminal } from "../../tools/pictures/terminal.ts";

/** The lines of a picture, as markup in which `~` is a space that stays. */
function linesOf(text: string): string[] {
  const svg = drawTerminal(text).replaceAll("&#160;", "~");
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line]) =>
    line!
  );
}

Deno.test("a drawn terminal escapes markup, and keeps colors and spaces", () => {
  assertEquals(linesOf("\x1b[31merror\x1b[0m a<b>&c\n\n  \x1b[1mx\x1b[0m\n"), [
    '<tspan class="c31">error</tspan> a&lt;b>&amp;c',
    "",
    '~~<tspan class="c1">x</tspan>',
  ]);
});

Deno.test("a drawn terminal wraps long lines between words, and breaks longer words", () => {
  const word = "abcdefg";
  const line = `  \x1b[31m${word}\x1b[0m ${`${word} `.repeat(24)}`.trimEnd();
  assertEquals(linesOf(`${line}\n${"x".repeat(200)}`), [
    `~~<tspan class="c31">${word}</tspan>${` ${word}`.repeat(10)}`,
    `~~~~${Array(11).fill(word).join(" ")}`,
    `~~~~${word} ${word} ${word}`,
    "x".repeat(96),
    `~~${"x".repeat(94)}`,
    `~~${"x".repeat(10)}`,
  ]);
});
