/** Exchanges see responses and errors, and a reset creates an application again. */
import { assertEquals } from "@std/assert";
import * as bough from "@bough/framework";
import {
  resolveTestOptions,
  type TestedApplication,
} from "../../../src/testing/options.ts";
import type { RequestPlan } from "../../../src/testing/plan.ts";
import {
  type Exchange,
  exchangeOf,
  jsonOf,
  readResponse,
  responseOf,
  Target,
} from "../../../src/testing/send/exchange.ts";
import { Patience } from "../../../src/testing/patience.ts";
import { log } from "../../../src/core/common/log.ts";
import { importCopy } from "../../cli/support.ts";
import { TestFolder } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";
import { exchange } from "../support.ts";

const PLAN: RequestPlan = { method: "GET", target: "/api/a", headers: {} };

const REQUEST = new Request("http://localhost/api/a");

const PLACE = { method: "GET", pattern: "/api/a", file: "a/route.ts" };

function textsOf({ errors }: Pick<Exchange, "errors">): string[] {
  return errors.map(({ text }) => text);
}

/** The errors of an exchange, and the other texts that were printed. */
async function errorsOf(
  send: () => Response | Promise<Response>,
  isLocal = true,
): Promise<
  { errors: Exchange["errors"]; printed: unknown[]; status: unknown }
> {
  const { error, warn } = console;
  const printed: unknown[] = [];
  const print = (...values: unknown[]) => printed.push(values);
  Object.assign(console, { error: print, warn: print });
  try {
    const { errors, status } = await exchangeOf(PLAN, send, {
      request: REQUEST,
      timeout: 50,
      isLocal,
    });
    return { errors, printed, status };
  } finally {
    Object.assign(console, { error, warn });
  }
}

Deno.test("simultaneous exchanges see the same errors; later errors are printed again", async () => {
  const { error } = console;
  const logging = (message: string, before: Promise<unknown>) =>
    exchangeOf(PLAN, async () => {
      await before;
      assertEquals(console.error, error);
      log({ level: "warning", message });
      return new Response();
    }, { request: REQUEST, timeout: 60_000, isLocal: true });
  const begun = Promise.withResolvers<void>();
  const first = logging("first", begun.promise);
  const second = logging("second", first);
  begun.resolve();
  const all = await Promise.all([first, second]);
  assertEquals(all.map(textsOf), [["first"], ["first", "second"]]);
  const printed: unknown[] = [];
  console.error = (text: string) => printed.push(text);
  try {
    log({ level: "warning", message: "later" });
  } finally {
    console.error = error;
  }
  assertEquals(printed, ["[bough] later"]);
});

Deno.test("an exchange sees the errors that Bough logs, and leaves the console to the application", async () => {
  const send = () => {
    log({ level: "error", place: PLACE, error: 1 });
    log({ level: "notice", message: "advice" });
    log({ level: "notice", place: PLACE, message: "of a request" });
    console.error("[bough] of the application", 2);
    console.error(3);
    return new Response();
  };
  assertEquals(await errorsOf(send), {
    errors: [{
      kind: "logged",
      text: "GET /api/a (a/route.ts) failed: 1",
      at: [],
      place: PLACE,
    }],
    printed: [["[bough] advice"], ["[bough] of the application", 2], [3]],
    status: 200,
  });
  // A server on another machine logs there.
  const elsewhere = await errorsOf(send, false);
  assertEquals([elsewhere.errors, elsewhere.printed], [[], [
    ["[bough] GET /api/a (a/route.ts) failed: 1"],
    ["[bough] advice"],
    ["[bough] GET /api/a (a/route.ts): of a request"],
    ["[bough] of the application", 2],
    [3],
  ]]);
});

Deno.test("an exchange reports a failed call", async () => {
  const refused = () => {
    throw new Error("refused");
  };
  for (const send of [refused, () => Promise.reject(new Error("refused"))]) {
    assertEquals(await errorsOf(send), {
      errors: [{ kind: "missing", text: "no response: Error: refused" }],
      printed: [],
      status: undefined,
    });
  }
});

const application = (fetch: TestedApplication["fetch"]): TestedApplication => ({
  fetch,
  inspect: () => Promise.reject(new Error("not inspected")),
});

Deno.test("an application that was used is reset, or created again", async () => {
  const calls: string[] = [];
  const one = application(() => new Response());
  const same = () => (calls.push("make"), one);
  const anew = () => (calls.push("make"), application(() => new Response()));
  const reset = () => void calls.push("reset");
  for (
    const [make, options, isResettable, expected] of [
      [same, {}, false, []],
      [anew, {}, true, ["make"]],
      [same, { reset }, true, ["reset", "make"]],
      [anew, { reset }, true, ["reset", "make"]],
      [anew, { reset, url: "http://localhost:1" }, false, []],
    ] as const
  ) {
    const target = await Target.create(make, resolveTestOptions(options));
    assertEquals(target.isResettable, isResettable);
    calls.length = 0;
    await target.reset();
    assertEquals(calls, []);
    const { url = "http://localhost:8000" } = options as { url?: string };
    assertEquals(target.origin, url);
    if ("url" in options) continue;
    await target.send(PLAN);
    for (let count = 0; count < 2; count++) {
      await target.reset();
      assertEquals(calls, [...expected]);
    }
  }
});

Deno.test("a request without a response is aborted", async () => {
  const requests: Request[] = [];
  const app = application((request) => {
    requests.push(request);
    return requests.length === 1
      ? new Promise<Response>(() => {})
      : new Response("x", { status: 201 });
  });
  const options = resolveTestOptions({ responseTimeout: 20 });
  const target = await Target.create(() => app, options);
  assertEquals((await target.send(PLAN)).status, undefined);
  assertEquals((await target.send(PLAN)).status, 201);
  assertEquals(requests.map(({ url, signal }) => [url, signal.aborted]), [
    ["http://localhost:8000/api/a", true],
    ["http://localhost:8000/api/a", false],
  ]);
});

Deno.test("the JSON of a response is read if its type is JSON", () => {
  const of = (type: string, text = "[1]") =>
    jsonOf(exchange(200, undefined, {
      headers: new Headers(type === "" ? {} : { "content-type": type }),
      body: new TextEncoder().encode(text),
    }));
  const json = ["Application/JSON;charset=utf-8", "application/problem+json"];
  const others = ["", "text/json", "x-application/json", "application/jsonl"];
  assertEquals(json.map((type) => of(type)), [[1], [1]]);
  assertEquals(others.map((type) => of(type)), others.map(() => undefined));
  assertEquals(of("application/json", "["), undefined);
});

Deno.test("a response can be created from the parts that were read", async () => {
  for (
    const [status, further, expected] of [
      [200, {}, [200, "1"]],
      [404, {}, [404, "1"]],
      [101, {}, [200, null]],
      ...[204, 205, 304].map((each) => [each, {}, [each, null]] as const),
      [undefined, {}, [500, null]],
      [200, { body: undefined }, [200, null]],
      [200, { body: undefined, isCut: true }, [200, ""]],
    ] as const
  ) {
    const made = responseOf(exchange(status, 1, further as Partial<Exchange>));
    const body = made.body === null ? null : await made.text();
    assertEquals<unknown>([made.status, body], expected);
    assertEquals(made.headers.get("content-type"), "application/json");
  }
});

Deno.test("an exchange has the issues that a format omits, even of another copy of the package", async () => {
  await using folder = await TestFolder.create({});
  const copy = await importCopy(folder);
  const issues = [{ in: "query", pointer: "#/a", detail: "must be a number" }];
  for (const { Framework, errorFormat } of [copy, bough]) {
    const query = schemaOf(() => ({
      issues: [{ message: "must be a number", path: ["a"] }],
    }));
    const target = await Target.create(
      () =>
        new Framework({
          manifest: {
            "a/route.ts": {
              GET: () => new Response(),
              schema: { get: { query } },
            },
          },
          errors: errorFormat({
            contentType: "text/plain",
            schema: schemaOf((value) => ({ value })),
            format: ({ title }: bough.ErrorDetails) => title,
          }),
        }),
      resolveTestOptions({}),
    );
    const sent = await target.send(PLAN);
    assertEquals([sent.status, sent.issues], [400, issues]);
  }
});

const HEADERS = { "content-type": "text/event-stream" };

/** Reads a stream that sends chunks of bytes, and then stays open. */
async function streamOf(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  patience?: Patience,
): Promise<{ stream: string; isCancelled: boolean }> {
  let isCancelled = false;
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      return chunk === undefined ? new Promise(() => {}) : undefined;
    },
    cancel() {
      isCancelled = true;
    },
  });
  const response = new Response(body, { headers: HEADERS });
  const { stream } = await readResponse(response, patience);
  return { stream, isCancelled };
}

Deno.test("a character in two chunks is one character", async () => {
  const text = "data: ö\n\n";
  const bytes = new TextEncoder().encode(text);
  // The first byte of "ö" is the last one of its chunk.
  const chunks = [bytes.slice(0, 7), bytes.slice(7)];
  assertEquals(await streamOf(chunks, new Patience()), {
    stream: text,
    isCancelled: true,
  });
});

Deno.test("without patience, the stream is cancelled without reading events", async () => {
  const chunk = new TextEncoder().encode("data: 1\n\n");
  assertEquals(await streamOf([chunk]), { stream: "", isCancelled: true });
});
