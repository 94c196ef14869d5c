import { assertEquals, assertThrows } from "@std/assert";
import { resolve, toFileUrl } from "@std/path";
import {
  errorText,
  ExitError,
  watchProcess,
} from "../../src/testing/process_watch.ts";
import { until } from "../support/until.ts";

Deno.test("what was kept of a watched process is its own again afterwards", () => {
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

Deno.test("the innermost watch gets each escape once, those of workers too", async () => {
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

Deno.test("an error is said to come from the application, and not from a package", () => {
  const at = (path: string) => `${toFileUrl(resolve(path)).href}:3:1`;
  const [handler, dependency] = ["api/route.ts", "node_modules/zod/core.js"];
  const error = new Error("odd");
  error.stack = `Error: odd
    at f (${at(dependency)})
    at ${at(handler)}`;
  assertEquals(errorText(error), `Error: odd, at "${handler}:3"`);
  error.stack = error.stack.replace(at(handler), at("node_modules/x.js"));
  assertEquals(errorText(error), `Error: odd, at "${dependency}:3"`);
  const odd = {
    toString: () => {
      throw new Error("no text");
    },
  };
  assertEquals(errorText(odd), Deno.inspect(odd));
});
