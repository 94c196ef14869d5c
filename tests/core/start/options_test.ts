import { assert, assertObjectMatch, assertThrows } from "@std/assert";
import { Framework, type FrameworkOptions } from "@bough/framework";
import { resolveOptions } from "../../../src/core/start/options.ts";

/** Wrong options, besides `apiDir: "api"`, by the message that they cause. */
const INVALID: Readonly<Record<string, readonly object[]>> = {
  'apiDir must be the path or "file:" URL of the folder of your routes, such as "api"':
    [{ apiDir: undefined }],
  "apiDir must be the path": [{ apiDir: "" }, { apiDir: 5 }],
  'apiDir must be the path or "file:" URL of the folder of your routes, such as "api", got URL "https://example.com/api"':
    [{ apiDir: new URL("https://example.com/api") }],
  'option "apidir" is unknown; did you mean "apiDir"? The options are "apiDir", ':
    [{ apidir: 1 }],
  'option "toString" is unknown': [{ toString: 1 }],
  'apiPrefix must have static segments without escapes, such as "api/v1", got "v1/[id]"':
    [{ apiPrefix: "v1/[id]" }],
  'lazy must be true or false, got "yes"': [{ lazy: "yes" }],
  "bodyLimit must be a whole number": [{ bodyLimit: -1 }],
  "bodyLimit must be a whole number of bytes, 0 or more, got 1.5": [{
    bodyLimit: 1.5,
  }],
  'bodyLimit must be a whole number of bytes, 0 or more, got "1mb"': [{
    bodyLimit: "1mb",
  }],
  'Cannot allow host "http://h/"': [{ allowedHosts: ["http://h/"] }],
  'Cannot allow host "*"': [{ allowedHosts: ["*"] }],
  'allowedHosts must be an array of strings, got "localhost"; write ["localhost"]':
    [{ allowedHosts: "localhost" }],
  "allowedHosts must be an array": [{ allowedHosts: "" }],
  "allowedHosts[1] must be a string, got 1": [{ allowedHosts: ["a", 1, 2] }],
  "trustedOrigins must be an array of strings, got": [{
    trustedOrigins: "https://app.example.com",
  }],
  'Cannot trust origin "https://*.example.com": write only the scheme and the host':
    [{ trustedOrigins: ["https://*.example.com"] }],
  'exitOnUncaughtError must be true or false, got "no"': [{
    exitOnUncaughtError: "no",
  }],
  "onError must be a function": [{ onError: {} }],
  "onNotFound must be a function": [{ onNotFound: "x" }],
  "manifest replaces apiDir": [{ manifest: {} }, {
    apiDir: undefined,
    manifest: {},
    load: () => {},
  }],
  "manifest must be the default export of a module": [{
    apiDir: undefined,
    manifest: [],
  }],
  'wrote, as in import manifest from "./api.manifest.ts"': [{
    apiDir: undefined,
    manifest: { default: { "a/route.ts": {} } },
  }],
  "milliseconds above 0, got 0": [{ bodyTimeout: 0 }],
  "bodyTimeout must be a number": [{ bodyTimeout: "1" }, { bodyTimeout: NaN }],
  'validateResponses must be true, false or "warn", got "on"': [{
    validateResponses: "on",
  }],
  "middleware[1] must be a function, such as (request, next) => next(), got 5":
    [{ middleware: [() => {}, 5] }],
  "middleware must be an array of functions (request, next), got a function": [{
    middleware: () => {},
  }],
  "plugins[0].name must be a string, got 5": [{
    plugins: [{ name: 5, routes() {} }],
  }],
  "plugins[1].routes must be a function": [{
    plugins: [{ name: "a", routes() {} }, { name: "a" }],
  }],
  "plugins[0] must be a plugin": [{ plugins: [null] }, {
    plugins: ["openapi"],
  }],
  "plugins must be an array of plugins, such as [openapi({ ... })], got an object":
    [{ plugins: { name: "a" } }],
  "apiPrefix must have static segments without escapes": [
    5,
    "(v1)",
    "a/../b",
    ".",
    "a/..",
    "a%20b",
    "a?",
    "a#b",
    "a\\b",
    "\t",
  ]
    .map((apiPrefix) => ({ apiPrefix })),
};

Deno.test("new Framework() refuses invalid options (behaviour 9.1)", () => {
  assertThrows(
    () => new Framework(undefined as unknown as FrameworkOptions),
    TypeError,
    'Cannot create the Framework: options are missing; pass { apiDir: "api" }',
  );
  for (const [message, all] of Object.entries(INVALID)) {
    for (const wrong of all) {
      const options = { apiDir: "api", ...wrong } as FrameworkOptions;
      const error = assertThrows(
        () => new Framework(options),
        TypeError,
        message,
      );
      assert(
        /^Cannot (?:create the Framework|allow|trust)/.test(error.message),
      );
    }
  }
});

/** The options that Bough reads from those of a program. */
function resolved(options: object): Readonly<Record<string, unknown>> {
  const request = new Request("http://a.example/", {
    headers: { origin: "https://b.example" },
  });
  const given = { apiDir: "api", ...options } as FrameworkOptions;
  new Framework(given);
  const all = resolveOptions(given);
  const { source: { label }, bodyRules, allowedHosts, isTrusted } = all;
  const [allows, trusts] = [allowedHosts?.allows(request), isTrusted(request)];
  return { ...all, ...bodyRules, label, allows, trusts };
}

Deno.test("new Framework() accepts every valid value of an option", () => {
  for (
    const [options, expected = options] of [
      [{ apiDir: new URL("file:///srv/api") }, { label: "/srv/api" }],
      [{ apiDir: undefined, manifest: {} }, { label: "the manifest" }],
      [{ apiPrefix: "" }, { prefix: [] }],
      [{ bodyLimit: 0 }, { limit: 0 }],
      [{ bodyTimeout: 0.5 }, { timeout: 0.5 }],
      [{ bodyTimeout: Infinity }, { timeout: Infinity }],
      [{ validateResponses: false }],
      [{ validateResponses: true }],
      [{ validateResponses: "warn" }],
      [{ middleware: [], plugins: [] }],
      [{ allowedHosts: [], trustedOrigins: [] }, {
        allows: false,
        trusts: false,
      }],
      [{ lazy: undefined, onError: undefined }, {
        lazy: false,
        onError: undefined,
      }],
    ] as const
  ) assertObjectMatch(resolved(options), expected);
});
