import { type Input, refusedPlaces } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import { fittingPlan, type Trial } from "../search/search.ts";
import type { Exchange } from "../send/exchange.ts";
import type { Session } from "../search/session.ts";
import {
  declarationFault,
  detailOf,
  endIfAsked,
  type Fault,
} from "../checks.ts";

/** Headers that show who sends a request. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** Sends a request without credentials, and checks that it is refused. */
export function guardTrial(
  session: Session,
  operation: Operation,
): Trial<Input> {
  const { as } = session.options;
  const shown = [...CREDENTIALS, ...Object.keys(as)];
  const without = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) =>
        !shown.includes(name) || name === "content-type"
      ),
    );
  return async (input) => {
    const plan = await fittingPlan(session, operation, input);
    // What `GET` refuses, `HEAD` may show.
    const methods = plan.method === "GET" ? ["GET", "HEAD"] : [plan.method];
    for (const method of methods) {
      const headers = without(plan.headers);
      const exchange = await session.send({ ...plan, method, headers });
      endIfAsked(exchange);
      const fault = await faultOf(exchange, input);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  async function faultOf(
    exchange: Exchange,
    input: Input,
  ): Promise<Fault | undefined> {
    const declared = [401, 403].filter((status) =>
      operation.responses.has(status)
    );
    const statuses = declared.length > 0 ? declared : [401, 403];
    const { status } = exchange;
    if (statuses.includes(status!)) {
      return declared.length > 0
        ? await declarationFault(operation, exchange)
        : undefined;
    }
    // A schema may be what asks for the credentials.
    const bare = { ...input, headers: without(input.headers) };
    const places = await refusedPlaces(operation, bare, {});
    if (status === 400 && places?.size !== 0) return undefined;
    return {
      expected: `a ${statuses.join(" or a ")}, since no credentials were sent`,
      seen: status === undefined
        ? exchange.errors[0] ?? "no response"
        : `a ${status}${detailOf(exchange)}`,
      assertion: statuses.length === 1
        ? `assertEquals(response.status, ${statuses[0]});`
        : `assert([${statuses.join(", ")}].includes(response.status));`,
    };
  }
}
