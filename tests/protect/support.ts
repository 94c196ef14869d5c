import { assert } from "@std/assert";
import {
  Framework,
  type Middleware,
  type MiddlewareRequest,
} from "@bough/framework";
import {
  type IdempotencyOptions,
  idempotent,
  memoryStore,
} from "@bough/framework/protect";
import { CapturedLog } from "../support/application.ts";
import type { FakeTimers } from "../support/fake_timers.ts";

/** A handler with the number of its run. */
export type Handle = (request: MiddlewareRequest, run: number) =>
  | Response
  | Promise<Response>;

/** A request to send; by default with the key "k-1". */
export interface Sent {
  readonly key?: string | null;
  readonly method?: string;
  readonly origin?: string;
  readonly path?: string;
  readonly body?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An application with keys, whose handler counts its runs. */
export class Shop {
  runs = 0;
  readonly app: Framework;

  constructor(
    options: Partial<IdempotencyOptions> = {},
    handle: Handle = (_, run) => Response.json({ run }, { status: 201 }),
    { middleware = [], bodyLimit = 1000 }: {
      readonly middleware?: readonly Middleware[];
      readonly bodyLimit?: number;
    } = {},
  ) {
    const run = (request: MiddlewareRequest) => handle(request, ++this.runs);
    const protect = idempotent({ store: memoryStore(), ...options });
    this.app = new Framework({
      bodyLimit,
      manifest: {
        "middleware.ts": { default: [...middleware, protect] },
        "payments/route.ts": { POST: run, PATCH: run, PUT: run, GET: run },
        "refunds/route.ts": { POST: run },
        "nested/middleware.ts": { default: protect },
        "nested/route.ts": { POST: run },
      },
    });
  }

  async send(sent: Sent = {}): Promise<Response> {
    return await this.app.fetch(requestOf(sent));
  }

  /** Sends a request, and summarizes the response. */
  async seen(sent: Sent = {}): Promise<string> {
    const response = await this.send(sent);
    const replayed = response.headers.get("idempotency-replayed");
    const body = (await response.text()).slice(0, 80);
    return `${response.status} ${body}${replayed ? " again" : ""}`;
  }

  async status(sent: Sent = {}): Promise<number> {
    const response = await this.send(sent);
    await response.body?.cancel();
    return response.status;
  }
}

export function requestOf(
  { key = "k-1", method = "POST", path = "/api/payments", ...others }: Sent,
): Request {
  const { body = method === "GET" ? null : "{}", headers = {} } = others;
  const { origin = "http://localhost" } = others;
  const request = new Request(`${origin}${path}`, {
    method,
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  if (key !== null) request.headers.set("idempotency-key", key);
  return request;
}

/** A handler that waits until `open` is called. */
export function gate(): { readonly handle: Handle; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    handle: async (_, run) => {
      await promise;
      return Response.json({ run });
    },
  };
}

/** Runs a function, and returns what Bough logged. */
export async function logOf(run: () => Promise<unknown>): Promise<string> {
  using log = new CapturedLog();
  await run();
  return log.lines.join("\n");
}

/** Waits until something holds, while the time of the timers stands still. */
export async function turnsUntil(
  timers: FakeTimers,
  holds: () => boolean,
): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    assert(turn < 10_000, `It is not so: ${holds}`);
    await timers.turn();
  }
}
