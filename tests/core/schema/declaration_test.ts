import { assertEquals } from "@std/assert";
import { z } from "zod";
import { mergeLevels } from "../../../src/core/schema/declaration.ts";
import type { MethodSchema } from "../../../src/core/types/schema.ts";

const response = Object.fromEntries(
  [200, 304, 399, 400, 404, 500].map((status) => [status, {}]),
);

/** The statuses of a method in a folder with a contract. */
function statusesOf(schema: MethodSchema): number[] {
  const outer = {
    contract: { response },
    file: "middleware.ts",
    paramNames: [],
  };
  const own = { value: schema, file: "route.ts" };
  return [...mergeLevels([outer], own).response.keys()];
}

Deno.test("a stream and a socket inherit only the error responses of their folder", () => {
  assertEquals(statusesOf({}), [200, 304, 399, 400, 404, 500]);
  for (const live of [{ events: { tick: z.int() } }, { socket: {} }]) {
    assertEquals(statusesOf(live), [400, 404, 500]);
  }
});
