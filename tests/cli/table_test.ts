import { assertEquals } from "@std/assert";
import { type Column, tableLines } from "../../src/cli/table.ts";

/** Columns with the titles A, B and so on, which show the words of a line. */
function columnsOf(count: number): Column<string>[] {
  return Array.from({ length: count }, (_, index) => ({
    title: "ABCDEFG"[index]!,
    cell: (row) => row.split(" ")[index] ?? "",
    isOptional: index > 3,
  }));
}

const a = (length: number) => "a".repeat(length);
const b = (length: number) => "b".repeat(length);

Deno.test("a table without a width omits only empty optional columns", () => {
  assertEquals(tableLines(columnsOf(6), ["1 22 333", "1 2"]), [
    "A  B   C    D",
    "1  22  333",
    "1  2",
  ]);
  assertEquals(tableLines(columnsOf(6), ["1 2 3 4  6"]), [
    "A  B  C  D  F",
    "1  2  3  4  6",
  ]);
  assertEquals(tableLines(columnsOf(5), []), ["A  B  C  D"]);
  assertEquals(tableLines(columnsOf(1), ["\x1b[2J"]), ["A", "\\u001b[2J"]);
});

Deno.test("a table with a width omits empty columns except the first two", () => {
  assertEquals(tableLines(columnsOf(6), ["1   4"], 80), ["A  B  D", "1     4"]);
  assertEquals(tableLines(columnsOf(6), [], 80), ["A  B"]);
});

Deno.test("a table shortens cells in the middle, as little as possible", () => {
  const row = `1 2 ${a(15)}${b(15)} 4`;
  const whole = ["A  B  C                               D"];
  assertEquals(tableLines(columnsOf(4), [row], 39), [
    ...whole,
    `1  2  ${a(15)}${b(15)}  4`,
  ]);
  assertEquals(tableLines(columnsOf(4), [row], 38), [
    "A  B  C                              D",
    `1  2  ${a(14)}…${b(14)}  4`,
    "Shortened to fit; --long shows everything",
  ]);
  assertEquals(tableLines(columnsOf(4), [row], 37), [
    "A  B  C                             D",
    `1  2  ${a(14)}…${b(13)}  4`,
    "Shortened to fit; --long shows everything",
  ]);
});

Deno.test("a table omits its last columns if twenty characters do not fit", () => {
  const row = `1 2 ${a(30)} ${b(30)} 5`;
  const narrow = `${a(10)}…${a(9)}`;
  assertEquals(tableLines(columnsOf(5), [row], 51), [
    "A  B  C                     D                     E",
    `1  2  ${narrow}  ${b(10)}…${b(9)}  5`,
    "Shortened to fit; --long shows everything",
  ]);
  assertEquals(tableLines(columnsOf(5), [row], 50).slice(1), [
    `1  2  ${a(10)}…${a(10)}  ${b(10)}…${b(10)}`,
    "Shortened to fit, without E; --long shows everything",
  ]);
  assertEquals(tableLines(columnsOf(5), [row], 47).slice(-1), [
    "Shortened to fit, without D, E; --long shows everything",
  ]);
  assertEquals(tableLines(columnsOf(3), [`1 2 ${a(20)}`], 26), [
    "A  B  C",
    `1  2  ${a(20)}`,
  ]);
  assertEquals(tableLines(columnsOf(3), [`1 2 ${a(20)}`], 25), [
    "A  B",
    "1  2",
    "Shortened to fit, without C; --long shows everything",
  ]);
});

Deno.test("a table shortens its second column last, and its first column never", () => {
  assertEquals(tableLines(columnsOf(2), [`${a(25)} ${b(40)}`], 50), [
    `${"A".padEnd(25)}  B`,
    `${a(25)}  ${b(11)}…${b(11)}`,
    "Shortened to fit; --long shows everything",
  ]);
  assertEquals(
    tableLines(columnsOf(2), [`${a(25)} ${b(40)}`], 30).slice(1, 2),
    [
      `${a(25)}  ${b(10)}…${b(9)}`,
    ],
  );
});
