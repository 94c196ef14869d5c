import { endOn, events } from "@bough/framework/live";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { OpenConnections } from "../../src/core/request/connections.ts";
import type { Handler } from "../../src/core/types/request.ts";
import { CapturedLog } from "../support/application.ts";
import { boundRequest } from "../support/bound_request.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay, until } from "../support/until.ts";

type Served = Parameters<Handler>[0];

const served = () => new Request("http://localhost/") as Served;

/** Counts the calls of a method that adds less those of one that removes. */
function counted<Name extends string>(
  target: Readonly<Record<Name, (...args: never[]) => unknown>>,
  add: Name,
  remove: Name,
): { count: number } {
  const counter = { count: 0 };
  for (const [name, step] of [[add, 1], [remove, -1]] as const) {
    const own = target[name];
    Object.assign(target, {
      [name]: (...args: unknown[]) => {
        counter.count += step;
        return Reflect.apply(own, target, args);
      },
    });
  }
  return counter;
}

Deno.test("an ended stream holds no connection and no listener (behaviour 11.4)", async () => {
  using log = new CapturedLog();
  for (const way of ["done", "error", "cancel", "end"]) {
    const connections = new OpenConnections();
    const { signal: expiry } = new AbortController();
    const open = counted(connections, "add", "remove");
    const listeners = counted(
      expiry,
      "addEventListener",
      "removeEventListener",
    );
    const request = boundRequest({ connections });
    endOn(request, expiry);
    const response = events(request, async function* ({ signal }) {
      yield { data: 1 };
      if (way === "error") throw new Error("the shelf fell");
      if (way === "done") return;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const reader = response.body!.getReader();
    await reader.read();
    assertEquals([open.count, listeners.count], [1, 1], way);
    const reading = reader.read();
    await delay(5);
    if (way === "cancel") await reader.cancel();
    if (way === "end") endOn(request, AbortSignal.abort());
    assertEquals((await reading).done, true);
    assertEquals([open.count, listeners.count], [0, 0], way);
  }
  assertEquals(log.lines.length, 1); // for the error
});

Deno.test("an expiry that has passed starts no generator (behaviour 11.4)", async () => {
  for (const end of [AbortSignal.abort(), new Date(-1)]) {
    using timers = new FakeTimers();
    const request = served();
    endOn(request, end);
    let started = false;
    const response = events(request, async function* () {
      started = true;
      yield { data: 1 };
    }, { heartbeat: 5 });
    assertEquals(await response.text(), "");
    await timers.pass(30);
    assertEquals(started, false);
  }
});

Deno.test("the reason of the end is not logged, other errors are (behaviour 11.4)", async () => {
  const reason = new Error("signed out");
  const own = new DOMException("The fetch was aborted", "AbortError");
  for (
    const [thrown, ends, lines] of [
      [reason, true, 0],
      [own, true, 0],
      [new Error("the cursor is gone"), true, 1],
      [own, false, 1],
    ] as const
  ) {
    using log = new CapturedLog();
    const request = served();
    const response = events(request, async function* ({ signal }) {
      yield { data: 1 };
      if (ends) await new Promise((resolve) => signal.onabort = resolve);
      throw thrown;
    });
    const reader = response.body!.getReader();
    await reader.read();
    const reading = reader.read();
    await delay(5);
    if (ends) endOn(request, AbortSignal.abort(reason));
    await reading;
    await delay(5);
    assertEquals(log.lines.length, lines, log.lines[0]);
  }
});

Deno.test("an event whose check outlasts the stream is dropped without a log entry (behaviour 11.4)", async () => {
  using log = new CapturedLog();
  const checked = Promise.withResolvers<boolean>();
  let isChecking = false;
  const schema = z.int().refine(() => {
    isChecking = true;
    return checked.promise;
  });
  const request = boundRequest({
    schema: { events: { message: schema } },
    validateResponses: true,
  });
  const response = events(request, async function* () {
    yield { data: 1 };
  });
  const reader = response.body!.getReader();
  const reading = reader.read();
  await until(() => isChecking);
  await reader.cancel();
  checked.resolve(true);
  assertEquals((await reading).done, true);
  await delay(5);
  assertEquals(log.lines, []);
});

Deno.test("the timers of a stream do not keep the process alive", async () => {
  using timers = new FakeTimers();
  const request = served();
  endOn(request, new Date(60_000));
  const response = events(request, async function* () {
    yield { data: 1 };
    await new Promise(() => {});
  });
  const reader = response.body!.getReader();
  await reader.read();
  void reader.read();
  // The heartbeat and the expiry.
  assertEquals(timers.running, { timers: 2, referenced: 0 });
  await reader.cancel();
  assertEquals(timers.running.timers, 0);
});
