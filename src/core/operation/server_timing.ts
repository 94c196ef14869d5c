import type {
  Step,
  StepTimer,
  TimedStep,
  Timing,
} from "../request/application.ts";
import { ensureRecord, recordOf } from "../request/record.ts";
import { mutableResponse } from "../common/response.ts";

/**
 * Measures the steps of each request, and adds the header `Server-Timing` to its
 * response (W3C Server Timing). The developer tools of browsers show the header.
 */
export const TIMER: StepTimer = {
  addHeader: (handler) => async (request, info) => {
    const timing = startTiming(request);
    const response = mutableResponse(await handler(request, info));
    response.headers.append("server-timing", headerOf(timing));
    return response;
  },
  measure: (step, run, file) => async (request, ...rest) => {
    const timed: TimedStep = { step, file, start: performance.now() };
    recordOf(request)?.timing?.steps.push(timed);
    try {
      return await run(request, ...rest);
    } finally {
      timed.end = performance.now();
    }
  },
  noteRoute: ({ timing }) => {
    if (timing === undefined) return;
    const { start, steps } = timing;
    const end = performance.now();
    steps.push({ step: "route", file: undefined, start, end });
  },
};

/** Starts to measure the steps of a request. */
export function startTiming(request: Request): Timing {
  return ensureRecord(request).timing = { start: performance.now(), steps: [] };
}

/**
 * Formats the header. Middleware runs around other steps, so their time is subtracted
 * from the time of the outermost middleware.
 */
function headerOf({ start, steps }: Timing): string {
  const total = performance.now() - start;
  // A step may outlive its request, such as a handler after a timeout.
  const ended = steps.filter(({ end }) => end !== undefined);
  const outermost = ended.find(({ step }) => step === "middleware");
  const inside = ended.filter(({ step, start }) =>
    outermost !== undefined && step !== "middleware" && start >= outermost.start
  );
  const named = (name: Step) => ended.filter(({ step }) => step === name);
  const times = {
    route: sumOf(named("route")),
    middleware: outermost && sumOf([outermost])! - (sumOf(inside) ?? 0),
    validate: sumOf(named("validate")),
    handler: sumOf(named("handler")),
    total,
  };
  return Object.entries(times).flatMap(([name, ms]) =>
    ms === undefined ? [] : [`${name};dur=${ms.toFixed(3)}`]
  ).join(", ");
}

/** The time of several steps; `undefined` without a step. */
function sumOf(steps: readonly TimedStep[]): number | undefined {
  if (steps.length === 0) return undefined;
  return steps.reduce((sum, { start, end }) => sum + end! - start, 0);
}
