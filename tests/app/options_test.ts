import { assertThrows } from "@std/assert";
import { Framework, type FrameworkOptions } from "@bough/framework";

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
      [{ apiDir: "api", lazy: "yes" }, "lazy must be true or false, got yes"],
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
        "exitOnUncaughtError must be true or false, got no",
      ],
      [{ apiDir: "api", onError: {} }, "onError must be a function"],
      [{ apiDir: "api", onNotFound: "x" }, "onNotFound must be a function"],
    ] as const
  ) {
    assertThrows(
      () => new Framework(options as unknown as FrameworkOptions),
      TypeError,
      message,
    );
  }
});
