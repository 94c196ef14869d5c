import { assert, assertEquals, assertThrows } from "@std/assert";
import { Framework, type FrameworkOptions } from "@bough/framework";
import {
  type ResolvedOptions,
  resolveOptions,
} from "../../src/start/options.ts";

Deno.test("new Framework() refuses options that cannot be meant (behaviour 9.1)", () => {
  for (
    const [options, message] of [
      [undefined, 'options are missing; pass { apiDir: "api" }'],
      [{}, 'apiDir must name the folder of your routes, such as "api"'],
      [{ apiDir: "" }, "apiDir must name the folder"],
      [{ apiDir: 5 }, "apiDir must name the folder"],
      [
        { apiDir: new URL("https://example.com/api") },
        'apiDir must be a path or a "file:" URL, got "https://example.com/api"',
      ],
      [
        { apiDir: "api", apidir: 1 },
        'option "apidir" is not known; the options are "apiDir"',
      ],
      [{ apiDir: "api", toString: 1 }, 'option "toString" is not known'],
      [{ apiDir: "api", apiPrefix: 5 }, "apiPrefix must be a string"],
      [
        { apiDir: "api", apiPrefix: "v1/[id]" },
        'apiPrefix "v1/[id]" holds a bracket; a prefix has static segments only',
      ],
      [{ apiDir: "api", apiPrefix: "(v1)" }, "holds a bracket"],
      [{ apiDir: "api", apiPrefix: "a/../b" }, 'holds "..", which no path'],
      [{ apiDir: "api", apiPrefix: "a%20b" }, "write plain, unescaped"],
      [{ apiDir: "api", lazy: "yes" }, 'lazy must be true or false, got "yes"'],
      [{ apiDir: "api", bodyLimit: -1 }, "bodyLimit must be a number of bytes"],
      [{ apiDir: "api", bodyLimit: "1mb" }, "bodyLimit must be a number"],
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
      [{ apiDir: "api", allowedHosts: [1] }, "allowedHosts must be an array"],
      [
        { apiDir: "api", trustedOrigins: "https://app.example.com" },
        "trustedOrigins must be an array of strings, got",
      ],
      [
        { apiDir: "api", trustedOrigins: ["https://*.example.com"] },
        'Cannot trust origin "https://*.example.com": write scheme and host',
      ],
      [
        { apiDir: "api", exitOnUncaughtError: "no" },
        'exitOnUncaughtError must be true or false, got "no"',
      ],
      [{ apiDir: "api", onError: {} }, "onError must be a function"],
      [{ apiDir: "api", onNotFound: "x" }, "onNotFound must be a function"],
      [{ manifest: {}, apiDir: "api" }, "manifest takes the place of apiDir"],
      [{ manifest: {}, load: () => {} }, "manifest takes the place of apiDir"],
      [{ manifest: [] }, "manifest must be the default export of a module"],
      [{ apiDir: "api", bodyTimeout: 0 }, "milliseconds above 0, got 0"],
      [{ apiDir: "api", bodyTimeout: "1" }, "bodyTimeout must be a number"],
      [{ apiDir: "api", bodyTimeout: NaN }, "bodyTimeout must be a number"],
      [
        { apiDir: "api", validateResponses: "on" },
        'validateResponses must be true, false or "warn", got "on"',
      ],
      [{ apiDir: "api", middleware: [() => {}, 5] }, "an array of functions"],
      [{ apiDir: "api", middleware: () => {} }, "an array of functions"],
      [{ apiDir: "api", plugins: [{ name: 5, routes() {} }] }, "of plugins"],
      [{ apiDir: "api", plugins: [{ name: "a" }] }, "an array of plugins"],
      [{ apiDir: "api", plugins: [null] }, "an array of plugins"],
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

Deno.test("new Framework() takes every value that an option may have", () => {
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
