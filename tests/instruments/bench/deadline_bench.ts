/** The costs of waiting for a promise with a time limit. */
import {
  startTicking,
  withDeadline,
} from "../../../src/core/common/deadline.ts";

const BODY_TIMEOUT = 30_000;
const late = (): Error => new Error("too late");

startTicking();

Deno.bench("no limit", { baseline: true }, async () => {
  await Promise.resolve(1);
});

Deno.bench("within()", async () => {
  await withDeadline(Promise.resolve(1), BODY_TIMEOUT, late);
});

const waits = new Set<{ deadline: number; expire: () => void }>();

Deno.bench("a Set of waits", async () => {
  await new Promise((resolve, reject) => {
    const wait = {
      deadline: performance.now() + BODY_TIMEOUT,
      expire: () => reject(late()),
    };
    waits.add(wait);
    Promise.resolve(1).then((value) => {
      waits.delete(wait);
      resolve(value);
    }, reject);
  });
});

Deno.bench("a timer each", async () => {
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), BODY_TIMEOUT);
    Promise.resolve(1).then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, reject);
  });
});
