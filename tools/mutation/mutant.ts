/** A small fault that can be planted in one file. */
export interface Mutant {
  /** The file, as a path from the root: `src/core/request/body.ts`. */
  readonly file: string;
  /** What kind of fault it is, for the report. */
  readonly kind: string;
  /** The offset of the first character that it replaces. */
  readonly start: number;
  /** The offset after the last one. */
  readonly end: number;
  /** The text that replaces them. */
  readonly replacement: string;
}

/** A mutant as a reader sees it, and as an argument quotes it. */
export interface Change {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** That line without its indentation. */
  readonly before: string;
  /** What the line becomes, up to the end of the replaced text. */
  readonly after: string;
}

/** Plants a mutant in the text of its file. */
export function plant(text: string, mutant: Mutant): string {
  return text.slice(0, mutant.start) + mutant.replacement +
    text.slice(mutant.end);
}

/** The line that a mutant changes, before and after. */
export function changeOf(text: string, mutant: Mutant): Change {
  const lineStart = text.lastIndexOf("\n", mutant.start - 1) + 1;
  const replaced = mutant.start + mutant.replacement.length;
  return {
    line: text.slice(0, mutant.start).split("\n").length,
    before: flat(text.slice(lineStart, endOfLine(text, mutant.start))),
    after: flat(
      plant(text, mutant).slice(
        lineStart,
        endOfLine(plant(text, mutant), replaced),
      ),
    ),
  };
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
