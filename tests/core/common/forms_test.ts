import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { printRouteChanges } from "@bough/framework/dev";
import { events } from "@bough/framework/live";
import { accessLog } from "@bough/framework/log";
import { openapi } from "@bough/framework/openapi";
import { checkContracts } from "@bough/framework/testing";
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

const app = new Framework({ apiDir: "examples/minimal/api" });
const request = new Request("http://localhost/") as never;

/** The entry points, each with the name of an option and a similar name. */
const CALLS: readonly [(options: never) => unknown, string, string][] = [
  [(options) => new Framework(options), "apiDir", "apidir"],
  [(options) => app.serve(options), "port", "prot"],
  [openapi, "openapiVersion", "openApiVersion"],
  [createClient, "baseUrl", "baseURL"],
  [accessLog, "write", "wirte"],
  [(options) => printRouteChanges(app, options), "print", "prints"],
  [
    (options) => events(request, async function* () {}, options),
    "heartbeat",
    "heartBeat",
  ],
  [(options) => checkContracts(app, options), "runs", "run"],
];

Deno.test("the error of each entry point names an unknown option, and the intended option", async () => {
  for (const [call, name, written] of CALLS) {
    await assertRejects(
      async () => await call({ [written]: 1 } as never),
      TypeError,
      `did you mean "${name}"?`,
    );
  }
});

Deno.test("the error of each entry point names an option with a wrong value", async () => {
  for (const [call, name] of CALLS) {
    await assertRejects(
      async () => await call({ [name]: Symbol() } as never),
      TypeError,
      `${name} must `,
    );
  }
});

Deno.test("options other than an object are refused", () => {
  for (const options of [null, "api", []]) {
    assertThrows(() => openapi(options as never), TypeError, "must be an obj");
    assertThrows(() => createClient(options as never), TypeError, "an object");
  }
});
