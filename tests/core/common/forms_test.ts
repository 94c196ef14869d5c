import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { printRouteChanges } from "@bough/framework/dev";
import { events } from "@bough/framework/live";
import { accessLog } from "@bough/framework/log";
import { openapi } from "@bough/framework/openapi";
import { checkContracts } from "@bough/framework/testing";
import {
  absent,
  anyOf,
  BOOLEAN,
  checkForm,
  checkOptions,
  closest,
  type Form,
  FUNCTION,
  listOf,
  matching,
  object,
  oneOf,
  recordOf,
  STRING,
  STRINGS,
} from "../../../src/core/common/forms.ts";

function faultsOf(form: Form, value: unknown, path = "it"): string[] {
  const faults: string[] = [];
  const isValid = checkForm(form, value, path, (fault) => faults.push(fault));
  assertEquals(isValid, faults.length === 0);
  return faults;
}

const USER = object({
  name: { ...STRING, isRequired: true },
  roles: STRINGS,
});

/** A function with members. */
const TAGGED = { ...FUNCTION, members: { tags: STRINGS }, isOpen: true };

Deno.test("checkForm() reports every fault of a value, with its path", () => {
  const cases: readonly (readonly [Form, unknown, readonly string[]])[] = [
    [BOOLEAN, "yes", ['it must be true or false, got "yes"']],
    [oneOf("tcp"), "udp", ['it must be "tcp", got "udp"']],
    [oneOf(1, "a", true), 2, ['it must be 1, "a" or true, got 2']],
    [STRINGS, ["a"], []],
    [STRINGS, "a", ['it must be an array of strings, got "a"; write ["a"]']],
    [STRINGS, [1, "a", null], [
      "it[0] must be a string, got 1",
      "it[2] must be a string, got null",
    ]],
    [listOf(STRING, "must be names", 1), [], ["it must be names, got []"]],
    [USER, { name: "a", roles: ["b"] }, []],
    [USER, { nmae: "a", roles: [1] }, [
      'it.nmae is unknown; did you mean "name"? The members are "name", "roles"',
      "it.roles[0] must be a string, got 1",
      "it.name must be a string, got undefined",
    ]],
    [USER, [], ['it must be an object with "name", "roles", got []']],
    [USER, { name: undefined }, ["it.name must be a string, got undefined"]],
    [USER, { name: "a", roles: undefined }, [
      "it.roles must be an array of strings, got undefined",
    ]],
    [{ ...USER, allowsUndefined: true }, { name: "a", roles: undefined }, []],
    [{ ...USER, isOpen: true }, { name: "a", others: 1 }, []],
    [USER, { name: "a", toString: 1 }, [
      'it.toString is unknown; the members are "name", "roles"',
    ]],
    [recordOf(USER, "must be users"), { a: 1, "b c": { name: 1 }, 7: {} }, [
      "it[7].name must be a string, got undefined",
      'it.a must be an object with "name", "roles", got 1',
      'it["b c"].name must be a string, got 1',
    ]],
    [
      { ...recordOf(STRING, "must be names"), names: matching(/^x/, "is bad") },
      { xa: "", b: "" },
      ['it has the key "b", which is bad'],
    ],
    [anyOf("must be a list", oneOf("*"), STRINGS), ["a", 1], [
      "it[1] must be a string, got 1",
    ]],
    [anyOf("must be a list", oneOf("*"), STRINGS), "a", [
      'it must be a list, got "a"; write ["a"]',
    ]],
    [TAGGED, () => {}, []],
    [TAGGED, Object.assign(() => {}, { tags: [1] }), [
      "it.tags[0] must be a string, got 1",
    ]],
    [object({ body: absent("it is a GET", "remove it") }), { body: "secret" }, [
      "it.body must be absent, since it is a GET; remove it",
    ]],
  ];
  for (const [form, value, faults] of cases) {
    assertEquals(faultsOf(form, value), faults);
  }
});

Deno.test("checkOptions() lists all faults, one a line", () => {
  assertThrows(
    () => checkOptions("play", { loud: 1, tme: 2 }, { loud: BOOLEAN }),
    TypeError,
    `Cannot play: loud must be true or false, got 1
Cannot play: option "tme" is unknown; the options are "loud"`,
  );
  checkOptions("play", { loud: undefined }, { loud: BOOLEAN });
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

Deno.test("the error of each entry point names an unknown option, or one with a wrong value", async () => {
  for (const [call, name, written] of CALLS) {
    for (
      const [options, message] of [
        [{ [written]: 1 }, `did you mean "${name}"?`],
        [{ [name]: Symbol() }, `${name} must `],
      ] as const
    ) {
      await assertRejects(
        async () => await call(options as never),
        TypeError,
        message,
      );
    }
  }
  for (const options of [null, "api", []]) {
    assertThrows(() => openapi(options as never), TypeError, "must be an obj");
  }
});

Deno.test("closest() finds the intended name, or nothing if all names differ much", () => {
  const names = ["port", "hostname", "onListen", "key"];
  for (
    const [meant, ...written] of [
      ["port", "prot", "ports", "por", "PORT", "portNumber"],
      ["hostname", "host", "hostnames"],
      ["onListen", "onlisten", "on_listen"],
      ["key", "keys"],
      [undefined, "ho", "", "shutdown", "toString"],
    ] as const
  ) {
    for (const name of written) assertEquals(closest(name, names), meant, name);
  }
});
