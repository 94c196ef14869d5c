import { assertEquals } from "@std/assert";
import { closest } from "../../../src/core/common/closest.ts";

const NAMES = ["port", "hostname", "onListen", "key"];

Deno.test("closest() finds the intended name, or nothing if all names differ much", () => {
  for (
    const [written, meant] of [
      ["prot", "port"],
      ["ports", "port"],
      ["por", "port"],
      ["PORT", "port"],
      ["host", "hostname"],
      ["hostnames", "hostname"],
      ["portNumber", "port"],
      ["onlisten", "onListen"],
      ["on_listen", "onListen"],
      ["keys", "key"],
      ["ho", undefined],
      ["", undefined],
      ["shutdown", undefined],
      ["toString", undefined],
    ] as const
  ) assertEquals(closest(written, NAMES), meant, written);
});
