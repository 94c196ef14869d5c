import type { Match } from "../routing/tree.ts";

type Respond<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>;

/** The times of one request, in milliseconds. The request itself carries them. */
interface Timing {
  readonly start: number;
  readonly steps: Partial<Record<Step, number>>;
}

/** A step of a request whose time is measured. */
export type Step = "route" | "import" | "middleware" | "validate" | "handler";

const TIMING = Symbol("timing");

type TimedRequest = Request & { [TIMING]?: Timing };

/**
 * Adds the header `Server-Timing` to each response (W3C Server Timing), with the
 * times of the measured steps. The developer tools of browsers show them.
 */
export function withServerTiming(
  handler: Respond<[info?: unknown]>,
): Respond<[info?: unknown]> {
  return async (request, info) => {
    const timing: Timing = { start: performance.now(), steps: {} };
    (request as TimedRequest)[TIMING] = timing;
    const response = await handler(request, info);
    // The response to a WebSocket request belongs to the server.
    if (response.status === 101) return response;
    // A copy, since the headers of `fetch` or `Response.redirect()` are immutable.
    const copy = new Response(response.body, response);
    copy.headers.append("server-timing", headerOf(timing));
    return copy;
  };
}

type RouteRespond = Respond<[match: Match, info: unknown]>;

/** Wraps the steps of a request to measure them, or leaves them as they are. */
export interface StepTimer {
  /** Wraps a function so that each call notes its time as a step of the request. */
  readonly measure: <
    Served extends Request,
    Rest extends readonly unknown[],
    Result,
  >(
    step: Step,
    run: (request: Served, ...rest: Rest) => Result | Promise<Result>,
  ) => (request: Served, ...rest: Rest) => Result | Promise<Result>;
  /** Wraps an endpoint so that each call notes how long it took to find it. */
  readonly measureRouting: (respond: RouteRespond) => RouteRespond;
}

const MEASURING: StepTimer = {
  measure: (step, run) => async (request, ...rest) => {
    const start = performance.now();
    try {
      return await run(request, ...rest);
    } finally {
      note(request, step, performance.now() - start);
    }
  },
  measureRouting: (respond) => (request, match, info) => {
    const { start } = (request as TimedRequest)[TIMING]!;
    note(request, "route", performance.now() - start);
    return respond(request, match, info);
  },
};

/** Wraps nothing, so that an application without `serverTiming` pays nothing. */
const IDLE: StepTimer = {
  measure: (_step, run) => run,
  measureRouting: (respond) => respond,
};

/** Whether to measure is known at the start, so no request has to ask. */
export function stepTimer(serverTiming: boolean): StepTimer {
  return serverTiming ? MEASURING : IDLE;
}

function note(request: Request, step: Step, ms: number): void {
  (request as TimedRequest)[TIMING]!.steps[step] = ms;
}

/** Middleware runs around the other steps; their time is subtracted from its own. */
function headerOf({ start, steps }: Timing): string {
  const total = performance.now() - start;
  const { import: imported = 0, middleware, validate, handler } = steps;
  // The import of a lazy route counts as a part of routing.
  const route = steps.route === undefined ? undefined : steps.route + imported;
  const own = middleware === undefined
    ? undefined
    : middleware - imported - (validate ?? 0) - (handler ?? 0);
  const entries = { route, middleware: own, validate, handler, total };
  return Object.entries(entries).flatMap(([name, ms]) =>
    ms === undefined ? [] : [`${name};dur=${ms.toFixed(3)}`]
  ).join(", ");
}
