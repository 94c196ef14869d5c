import type { RoutedPath } from "../routing/pathname.ts";

/** Responds to a request, at one step or another of its way. */
type Respond<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>;

/** How long the steps of a request took, in milliseconds. */
interface Timing {
  readonly start: number;
  readonly steps: Partial<Record<Step, number>>;
}

/** What the time of a request is spent on. */
export type Step = "route" | "import" | "middleware" | "validate" | "handler";

const TIMING = Symbol("timing");

type TimedRequest = Request & { [TIMING]?: Timing };

/**
 * Puts the durations of the steps that were measured into the header
 * `Server-Timing` of each answer (W3C Server Timing), where the developer tools of
 * browsers show them.
 */
export function tellTiming(
  handler: Respond<[info?: unknown]>,
): Respond<[info?: unknown]> {
  return async (request, info) => {
    const timing: Timing = { start: performance.now(), steps: {} };
    (request as TimedRequest)[TIMING] = timing;
    const response = await handler(request, info);
    // The answer to a WebSocket's request belongs to the server.
    if (response.status === 101) return response;
    // That of `fetch` or `Response.redirect()` cannot be changed.
    const answer = new Response(response.body, response);
    answer.headers.append("server-timing", headerOf(timing));
    return answer;
  };
}

type RouteRespond = Respond<[path: RoutedPath, info: unknown]>;

/** Makes what takes a step of a request, so that it is measured, or is not. */
export interface StepMaker {
  /** Makes a function that measures itself as a step of its request. */
  readonly measured: <
    Served extends Request,
    Rest extends readonly unknown[],
    Result,
  >(
    step: Step,
    run: (request: Served, ...rest: Rest) => Result | Promise<Result>,
  ) => (request: Served, ...rest: Rest) => Result | Promise<Result>;
  /** Makes a response that notes, when it is asked for, what it took to find it. */
  readonly routed: (respond: RouteRespond) => RouteRespond;
}

const MEASURED: StepMaker = {
  measured: (step, run) => async (request, ...rest) => {
    const start = performance.now();
    try {
      return await run(request, ...rest);
    } finally {
      note(request, step, performance.now() - start);
    }
  },
  routed: (respond) => (request, path, info) => {
    const { start } = (request as TimedRequest)[TIMING]!;
    note(request, "route", performance.now() - start);
    return respond(request, path, info);
  },
};

/** Without it, the steps are what they are, so that nothing is paid for it. */
const UNMEASURED: StepMaker = {
  measured: (_step, run) => run,
  routed: (respond) => respond,
};

/** How the steps of an application are made. */
export function stepMaker(serverTiming = false): StepMaker {
  return serverTiming ? MEASURED : UNMEASURED;
}

function note(request: Request, step: Step, ms: number): void {
  (request as TimedRequest)[TIMING]!.steps[step] = ms;
}

/** Middleware runs around the rest, whose time is not its own. */
function headerOf({ start, steps }: Timing): string {
  const total = performance.now() - start;
  const { import: imported = 0, middleware, validate, handler } = steps;
  // To import the file of a lazy route is a part of finding it.
  const route = steps.route === undefined ? undefined : steps.route + imported;
  const own = middleware === undefined
    ? undefined
    : middleware - imported - (validate ?? 0) - (handler ?? 0);
  const entries = { route, middleware: own, validate, handler, total };
  return Object.entries(entries).flatMap(([name, ms]) =>
    ms === undefined ? [] : [`${name};dur=${ms.toFixed(3)}`]
  ).join(", ");
}
