import { assert, assertEquals } from "@std/assert";
import { accessLog } from "@bough/framework/log";
import { openapi } from "@bough/framework/openapi";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { FILES, type Input, READERS } from "./costly_inputs.ts";

/** Inputs are doubled eight times, from a 256th of the limit up to the limit. */
const DOUBLINGS = 8;
const MOST = 2.5 ** DOUBLINGS;
/** A shorter time, in milliseconds, or a smaller response counts as this. */
const LEAST: Cost = { ms: 0.05, bytes: 100 };
const ATTEMPTS = 10;

const LARGEST_PROBLEM = 64 * 1024;

/** What a request costs. */
interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

async function costOf(
  { app }: FolderApplication,
  request: Request,
): Promise<Cost> {
  const start = performance.now();
  const response = await app.fetch(request);
  const { length: bytes } = await response.bytes();
  const ms = performance.now() - start;
  if (!response.ok) {
    assert(bytes <= LARGEST_PROBLEM, `a problem of ${bytes} bytes`);
  }
  return { ms, bytes };
}

/**
 * Fails if a large input costs too much compared with a small one. After so many
 * doublings, neither a busy machine nor the collection of garbage looks like what
 * is quadratic, which costs 65,536 times as much.
 */
async function assertLinear(
  application: FolderApplication,
  input: Input,
  limit: number,
): Promise<void> {
  const size = limit / 2 ** DOUBLINGS;
  // The first request may have to load what answers it.
  await costOf(application, input(size));
  let few: Cost = { ms: Infinity, bytes: Infinity };
  let many = few;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Whatever else the machine does can only make it slower.
    few = least(few, await costOf(application, input(size)));
    many = least(many, await costOf(application, input(limit)));
    if (isProportionate(few, many)) return;
  }
  throw new Error(
    `${size} characters: ${few.ms} ms, ${few.bytes} bytes; ` +
      `${limit} characters: ${many.ms} ms, ${many.bytes} bytes`,
  );
}

function least(a: Cost, b: Cost): Cost {
  return { ms: Math.min(a.ms, b.ms), bytes: Math.min(a.bytes, b.bytes) };
}

function isProportionate(few: Cost, many: Cost): boolean {
  return many.ms <= Math.max(few.ms, LEAST.ms) * MOST &&
    many.bytes <= Math.max(few.bytes, LEAST.bytes) * MOST;
}

// Slow: it sends each kind of input at its limit, 7 CPU seconds, and compares times,
// which other tests at the same time would disturb.
Deno.test("time and response grow at most linearly with what a client sends", async (test) => {
  await using application = await FolderApplication.create(FILES, {
    plugins: [openapi({ info: { title: "Linear", version: "1.0.0" } })],
    middleware: [accessLog({ write: () => {} })],
  });
  await application.app.start();
  using log = new CapturedLog();
  for (const { name, limit, inputs } of READERS) {
    await test.step(name, async (test) => {
      for (const [unit, input] of inputs) {
        await test.step(
          JSON.stringify(unit),
          () => assertLinear(application, input, limit),
        );
      }
    });
  }
  assertEquals(log.lines, [], "no input is the fault of the server");
});
