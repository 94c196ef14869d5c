import { assertEquals } from "@std/assert";
import { z } from "zod";
import { effectiveSchema } from "../../../src/core/schema/declaration.ts";
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
  const route = {
    contracts: [outer],
    schema: { get: schema },
    file: "route.ts",
  };
  return [...effectiveSchema(route, "GET").response.keys()];
}

Deno.test("a stream and a socket inherit only the error responses of their folder", () => {
  assertEquals(statusesOf({}), [200, 304, 399, 400, 404, 500]);
  for (const live of [{ events: { tick: z.int() } }, { socket: {} }]) {
    assertEquals(statusesOf(live), [400, 404, 500]);
  }
});
