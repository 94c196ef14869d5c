import { assertEquals, assertThrows } from "@std/assert";
import { resolve, toFileUrl } from "@std/path";
import {
  describeError,
  ExitError,
  ownFrames,
  watchProcess,
} from "../../src/shared/process_watch.ts";
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
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(code)}`,
    {
      type: "module",
    },
  );
  await until(() => inner!.length === 2);
  worker.terminate();
  assertEquals(outer, []);
  assertEquals(inner!.map((text) => text.replace(/^".*" /, "")), [
    "called Deno.exit()",
    "an error was thrown and not caught: Uncaught Error: of a worker",
  ]);
});

Deno.test("the place of an error is in the application instead of a package", () => {
  const at = (path: string) => `${toFileUrl(resolve(path)).href}:3:1`;
  const [handler, dependency] = ["api/route.ts", "node_modules/zod/core.js"];
  const error = new Error("odd");
  error.stack = `Error: odd
    at f (${at(dependency)})
    at ${at(handler)}`;
  assertEquals(describeError(error).text, `Error: odd, at "${handler}:3"`);
  error.stack = error.stack.replace(at(handler), at("node_modules/x.js"));
  assertEquals(describeError(error).text, `Error: odd, at "${dependency}:3"`);
  const odd = {
    toString: () => {
      throw new Error("no text");
    },
  };
  assertEquals(describeError(odd).text, Deno.inspect(odd));
});

Deno.test("the stacks of a log entry have only the frames of the application", () => {
  const url = (path: string) => toFileUrl(resolve(path)).href;
  const [query, route] = [url("lib/db.ts"), url("api/route.ts")];
  const foreign = `
      at async Endpoint.#usable (${url("src/core/request/endpoint.ts")}:209:35)
      at new Promise (<anonymous>)
      at https://jsr.io/@bough/framework/1.0.0/src/failure.ts:1:1
      at f (${url("node_modules/zod/core.js")}:1:1)
      at g (file:///home/a/.cache/deno/npm/registry.example.com/zod/4.0.0/a.js:1:1)
      at ext:deno_web/00_infra.js:1:1`;
  const entry = `GET /a failed: Error: odd${foreign}
      at query (${query}:3:9)
      ... 7 lines matching cause stack trace ...
      at async GET (${route}:2:3)${foreign} {
    [cause]: TypeError: inner
        at ${route}:5:84${foreign}
  }`;
  assertEquals(
    ownFrames(entry),
    `GET /a failed: Error: odd
      at query (lib/db.ts:3:9)
      at async GET (api/route.ts:2:3) {
    [cause]: TypeError: inner
        at api/route.ts:5:84
  }`,
  );
  const none = `GET /a failed: Error: odd${foreign}`;
  assertEquals(ownFrames(none), none.replaceAll(`${url(".")}/`, ""));
  const error = new Error("odd");
  error.stack = `Error: odd${foreign}\n    at query (${query}:3:9)`;
  assertEquals(describeError(error).text, 'Error: odd, at "lib/db.ts:3"');
});
