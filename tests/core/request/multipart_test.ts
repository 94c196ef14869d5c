import { assertEquals, assertThrows } from "@std/assert";
import {
  MAX_HEADERS,
  MultipartParser,
} from "../../../src/core/request/form.ts";
import { bytesOf, compareReaders } from "./compare_readers.ts";

Deno.test("nearly valid forms have the same parts, whole and in pieces (RFC 2046, 5.1.1)", async () => {
  await compareReaders(1, 1_500);
});

Deno.test("a part has a name and at most 16 KiB of headers (behaviour 7.8)", () => {
  const read = (headers: string) => {
    const parser = new MultipartParser("b");
    const form = bytesOf(`--b\r\n${headers}\r\n\r\nx\r\n--b--`);
    for (let at = 0; at < form.length; at += 7) {
      parser.write(form.slice(at, at + 7));
    }
    return parser.end().length;
  };
  const disposition = "Content-Disposition: form-data; name=a";
  const rest = MAX_HEADERS - disposition.length - "\r\nX: \r\n".length;
  assertEquals(read(`${disposition}\r\nX: ${"x".repeat(rest)}`), 0);
  for (
    const headers of [
      `${disposition}\r\nX: ${"x".repeat(rest + 1)}`,
      `${disposition}${"\r\nX: y".repeat(3_000)}`,
      `${disposition}${"x".repeat(65_536)}`,
    ]
  ) assertThrows(() => read(headers), SyntaxError, "16384 bytes");
  assertThrows(() => read("X: y"), SyntaxError, "no name");
});
