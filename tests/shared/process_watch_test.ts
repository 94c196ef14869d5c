import { assert, assertEquals, assertThrows } from "@std/assert";
import { relative, toFileUrl } from "@std/path";
import {
  describeError,
  ExitError,
  isOfApplication,
  watchProcess,
} from "../../src/shared/process_watch.ts";
import { TestFolder } from "../support/application.ts";
import { HOSTILE, imitatedFrames, IMITATIONS } from "../support/hostile.ts";
import { until } from "../support/until.ts";

Deno.test("functions that were kept during a watch work as before after the watch", () => {
  const texts: string[] = [];
  const watch = watchProcess(({ text }) => texts.push(text));
  const { exit } = Deno;
  assertThrows(() => exit(0), ExitError);
  watch[Symbol.dispose]();
  // By the test runner.
  assertThrows(() => exit(0), Error, "attempted to exit with exit code: 0");
  assertEquals(texts.map((text) => text.replace(/^".*" /, "")), [
    "called Deno.exit(0)",
  ]);
});

Deno.test("the innermost watch gets each escape once, including those of workers", async () => {
  const [outer, inner]: string[][] = [[], []];
  using _outer = watchProcess(({ text }) => outer!.push(text));
  using _inner = watchProcess(({ text }) => inner!.push(text));
  (async () => await Promise.resolve().then(() => Deno.exit()))();
  await new Promise<void>((go) => setTimeout(() => setImmediate(go)));
  const code = "setTimeout(() => { throw new Error('of a worker'); });";
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const worker = new Worker(url, { type: "module" });
  await until(() => inner!.length === 2);
  worker.terminate();
  assertEquals(outer, []);
  assertEquals(inner!.map((text) => text.replace(/^".*" /, "")), [
    "called Deno.exit()",
    "an error was thrown and not caught: Uncaught Error: of a worker",
  ]);
});

Deno.test("after a watch, it handles no event", () => {
  const { exit } = Deno;
  const { close } = globalThis;
  watchProcess(() => {})[Symbol.dispose]();
  assertEquals([Deno.exit, globalThis.close], [exit, close]);
  const init = { cancelable: true, promise: Promise.resolve() };
  for (
    const event of [
      new ErrorEvent("error", init),
      new PromiseRejectionEvent("unhandledrejection", init),
    ]
  ) {
    dispatchEvent(event);
    assertEquals(event.defaultPrevented, false, event.type);
  }
});

Deno.test("the place of an error is in the application instead of a package", async () => {
  const zod = "node_modules/zod/core.mjs";
  await using folder = await TestFolder.create({
    [zod]: `export const fail = () => { throw new TypeError("odd"); };
export const run = () => new Promise((_, no) => setTimeout(() => no(new Error("odd"))));`,
    "api/route.ts": `import { fail } from "../node_modules/zod/core.mjs";

export const run = async () => fail();`,
  });
  for (
    const [file, line, error] of [
      ["api/route.ts", 3, "TypeError"],
      [zod, 2, "Error"],
    ] as const
  ) {
    const { run } = await import(toFileUrl(`${folder.path}/${file}`).href);
    const thrown = await run().catch((error: unknown) => error);
    const path = relative(Deno.cwd(), `${folder.path}/${file}`);
    const place = `"${path}:${line}"`;
    const text = `${error}: odd, at ${place}`;
    assertEquals(describeError(thrown), { text, at: [place] });
  }
});

Deno.test("an error is described with its causes, and without frames of its text", () => {
  const here = (text: string) =>
    text.replaceAll(/"tests\/shared\/process_watch_test\.ts:\d+"/g, "here");
  const cause = new TypeError("inner", { cause: { code: 7 } });
  // Only errors have lines.
  const { at } = describeError(new Error("outer", { cause }));
  assertEquals(at.map(here), ["here", "here"]);
  assertEquals(
    here(describeError(new Error("outer", { cause })).text),
    "Error: outer, at here, caused by TypeError: inner, at here, caused by { code: 7 }",
  );
  const refused = new AggregateError([new Error("::1"), "127.0.0.1"]);
  assertEquals(
    here(describeError(refused).text),
    "AggregateError\n- Error: ::1\n- 127.0.0.1, at here",
  );
  const circular = new Error("x");
  circular.cause = circular;
  assertEquals(describeError(circular).text.split("caused by").length, 4);
  const text = imitatedFrames("file:///etc/passwd");
  for (const [place, imitate] of Object.entries(IMITATIONS)) {
    const described = describeError(imitate(text)).text;
    assertEquals(/at ".*passwd/.exec(described), null, place);
  }
});

Deno.test("only modules of the program belong to the application", () => {
  const urls = {
    "file:///app/api/my%20route.ts": true,
    "file:///app/node_modules/zod/index.js": false,
    "file:///home/a/.cache/deno/npm/registry.example.com/zod/4.0.0/a.js": false,
    [new URL("../../src/core/framework.ts", import.meta.url).href]: false,
    [import.meta.url]: true,
  };
  for (const [url, expected] of Object.entries(urls)) {
    assertEquals(isOfApplication(url), expected, url);
  }
});

Deno.test("values that throw when they are inspected are described", () => {
  const odd = {
    toString: () => {
      throw new Error("no text");
    },
  };
  assertEquals(describeError(odd).text, Deno.inspect(odd));
  for (const value of Object.values(HOSTILE)) {
    assert(describeError(value).text !== "");
  }
});
