import { assertEquals } from "@std/assert";
import { closest } from "../../src/common/option_table.ts";

const NAMES = ["port", "hostname", "onListen", "key"];

Deno.test("closest() finds the name that was meant, and none where none is near", () => {
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
