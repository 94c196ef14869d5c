import type { Step, StepTimer, Timed, Timing } from "../record/application.ts";
import { ensureRecord, recordOf } from "../record/record.ts";

/**
 * Adds the header `Server-Timing` to each response (W3C Server Timing), with the
 * times of the measured steps. The developer tools of browsers show them.
 */
export const TIMER: StepTimer = {
  addHeader: (handler) => async (request, info) => {
    const timing: Timing = { start: performance.now(), steps: {} };
    ensureRecord(request).timing = timing;
    const response = await handler(request, info);
    // The server needs the original response to a WebSocket request.
    if (response.status === 101) return response;
    // Change a copy, since the headers of responses from `fetch` or
    // `Response.redirect()` are immutable.
    const copy = new Response(response.body, response);
    copy.headers.append("server-timing", headerOf(timing));
    return copy;
  },
  measure: (step, run) => async (request, ...rest) => {
    const start = performance.now();
    try {
      return await run(request, ...rest);
    } finally {
      note(recordOf(request), step, start);
    }
  },
  noteRoute: (record) => note(record, "route", record.timing?.start ?? 0),
};

function note(
  record: Timed | undefined,
  step: Step,
  start: number,
): void {
  if (record?.timing === undefined) return;
  record.timing.steps[step] = performance.now() - start;
}

/**
 * Formats the header. Middleware runs around the other steps, so their time is
 * subtracted from the time of the middleware.
 */
function headerOf({ start, steps }: Timing): string {
  const total = performance.now() - start;
  const { route, middleware, validate, handler } = steps;
  const own = middleware === undefined
    ? undefined
    : middleware - (validate ?? 0) - (handler ?? 0);
  const entries = { route, middleware: own, validate, handler, total };
  return Object.entries(entries).flatMap(([name, ms]) =>
    ms === undefined ? [] : [`${name};dur=${ms.toFixed(3)}`]
  ).join(", ");
}
