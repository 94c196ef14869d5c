import { assert, assertEquals, assertThrows } from "@std/assert";
import { Framework, type FrameworkOptions } from "@bough/framework";
import {
  type ResolvedOptions,
  resolveOptions,
} from "../../../src/core/start/options.ts";

Deno.test("new Framework() refuses invalid options (behaviour 9.1)", () => {
  for (
    const [options, message] of [
      [undefined, 'options are missing; pass { apiDir: "api" }'],
      [
        {},
        'apiDir must be the path or "file:" URL of the folder of your routes, such as "api"',
      ],
      [{ apiDir: "" }, "apiDir must be the path"],
      [{ apiDir: 5 }, "apiDir must be the path"],
      [
        { apiDir: new URL("https://example.com/api") },
        'apiDir must be the path or "file:" URL of the folder of your routes, such as "api", got URL "https://example.com/api"',
      ],
      [
        { apiDir: "api", apidir: 1 },
        'option "apidir" is unknown; did you mean "apiDir"? The options are "apiDir", ',
      ],
      [{ apiDir: "api", toString: 1 }, 'option "toString" is unknown'],
      [
        { apiDir: "api", apiPrefix: "v1/[id]" },
        'apiPrefix must have static segments without escapes, such as "api/v1", got "v1/[id]"',
      ],
      ...[5, "(v1)", "a/../b", ".", "a/..", "a%20b", "a?", "a#b", "a\\b", "\t"]
        .map((apiPrefix) =>
          [
            { apiDir: "api", apiPrefix },
            "apiPrefix must have static segments without escapes",
          ] as const
        ),
      [{ apiDir: "api", lazy: "yes" }, 'lazy must be true or false, got "yes"'],
      [{ apiDir: "api", bodyLimit: -1 }, "bodyLimit must be a whole number"],
      [
        { apiDir: "api", bodyLimit: 1.5 },
        "bodyLimit must be a whole number of bytes, 0 or more, got 1.5",
      ],
      [
        { apiDir: "api", bodyLimit: "1mb" },
        'bodyLimit must be a whole number of bytes, 0 or more, got "1mb"',
      ],
      [
        { apiDir: "api", allowedHosts: ["http://h/"] },
        'Cannot allow host "http://h/"',
      ],
      [{ apiDir: "api", allowedHosts: ["*"] }, 'Cannot allow host "*"'],
      [
        { apiDir: "api", allowedHosts: "localhost" },
        'allowedHosts must be an array of strings, got "localhost"; write ["localhost"]',
      ],
      [{ apiDir: "api", allowedHosts: "" }, "allowedHosts must be an array"],
      [
        { apiDir: "api", allowedHosts: ["a", 1, 2] },
        "allowedHosts[1] must be a string, got 1",
      ],
      [
        { apiDir: "api", trustedOrigins: "https://app.example.com" },
        "trustedOrigins must be an array of strings, got",
      ],
      [
        { apiDir: "api", trustedOrigins: ["https://*.example.com"] },
        'Cannot trust origin "https://*.example.com": write only the scheme and the host',
      ],
      [
        { apiDir: "api", exitOnUncaughtError: "no" },
        'exitOnUncaughtError must be true or false, got "no"',
      ],
      [{ apiDir: "api", onError: {} }, "onError must be a function"],
      [{ apiDir: "api", onNotFound: "x" }, "onNotFound must be a function"],
      [{ manifest: {}, apiDir: "api" }, "manifest replaces apiDir"],
      [{ manifest: {}, load: () => {} }, "manifest replaces apiDir"],
      [{ manifest: [] }, "manifest must be the default export of a module"],
      [
        { manifest: { default: { "a/route.ts": {} } } },
        'wrote, as in import manifest from "./api.manifest.ts"',
      ],
      [{ apiDir: "api", bodyTimeout: 0 }, "milliseconds above 0, got 0"],
      [{ apiDir: "api", bodyTimeout: "1" }, "bodyTimeout must be a number"],
      [{ apiDir: "api", bodyTimeout: NaN }, "bodyTimeout must be a number"],
      [
        { apiDir: "api", validateResponses: "on" },
        'validateResponses must be true, false or "warn", got "on"',
      ],
      [
        { apiDir: "api", middleware: [() => {}, 5] },
        "middleware[1] must be a function, such as (request, next) => next(), got 5",
      ],
      [
        { apiDir: "api", middleware: () => {} },
        "middleware must be an array of functions (request, next), got a function",
      ],
      [
        { apiDir: "api", plugins: [{ name: 5, routes() {} }] },
        "plugins[0].name must be a string, got 5",
      ],
      [
        { apiDir: "api", plugins: [{ name: "a", routes() {} }, { name: "a" }] },
        "plugins[1].routes must be a function",
      ],
      [{ apiDir: "api", plugins: [null] }, "plugins[0] must be a plugin"],
      [{ apiDir: "api", plugins: ["openapi"] }, "plugins[0] must be a plugin"],
      [
        { apiDir: "api", plugins: { name: "a" } },
        "plugins must be an array of plugins, such as [openapi({ ... })], got an object",
      ],
    ] as const
  ) {
    const error = assertThrows(
      () => new Framework(options as unknown as FrameworkOptions),
      TypeError,
      message,
    );
    assert(/^Cannot (?:create the Framework|allow|trust)/.test(error.message));
  }
});

Deno.test("new Framework() accepts every valid value of an option", () => {
  type Row = readonly [
    options: object,
    taken: (resolved: ResolvedOptions) => unknown,
    expected: unknown,
  ];
  const request = new Request("http://a.example/", {
    headers: { origin: "https://b.example" },
  });
  const all: readonly Row[] = [
    [
      { apiDir: new URL("file:///srv/api") },
      ({ source }) => source.label,
      "/srv/api",
    ],
    [{ apiPrefix: "" }, ({ prefix }) => prefix, []],
    [{ bodyLimit: 0 }, ({ bodyRules }) => bodyRules.limit, 0],
    [{ bodyTimeout: 0.5 }, ({ bodyRules }) => bodyRules.timeout, 0.5],
    [{ bodyTimeout: Infinity }, ({ bodyRules }) => bodyRules.timeout, Infinity],
    ...[false, true, "warn"].map((value): Row => [
      { validateResponses: value },
      ({ validateResponses }) => validateResponses,
      value,
    ]),
    [
      { middleware: [], plugins: [] },
      ({ middleware, plugins }) => [middleware, plugins],
      [[], []],
    ],
    [
      { allowedHosts: [], trustedOrigins: [] },
      ({ allowedHosts, isTrusted }) => [
        allowedHosts?.allows(request),
        isTrusted(request),
      ],
      [false, false],
    ],
    [
      { lazy: undefined, onError: undefined },
      ({ lazy, onError }) => [lazy, onError],
      [false, undefined],
    ],
    [
      { apiDir: undefined, manifest: {} },
      ({ source }) => source.label,
      "the manifest",
    ],
  ];
  for (const [changed, taken, expected] of all) {
    const options = { apiDir: "api", ...changed } as FrameworkOptions;
    new Framework(options);
    assertEquals(taken(resolveOptions(options)), expected);
  }
});
