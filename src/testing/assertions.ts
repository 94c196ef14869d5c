import { isNamed, operationsOf } from "./operation.ts";
import type { TestedApplication } from "./options.ts";
import type { RequestPlan } from "./plan.ts";
import {
  ContractError,
  declarationFault,
  failureOf,
  type Fault,
} from "./checks.ts";
import { exchangeOf, responseOf } from "./send/exchange.ts";
import { eventTimeOf, readResponse } from "./send/read_response.ts";

/**
 * Asserts that a response is one of those that an operation declares: its status, and
 * the media type, the headers and the shape that go with it.
 *
 * @param app The application.
 * @param operation The method and the path, with or without the prefix.
 * @param response The response; it can still be read afterwards.
 * @throws {ContractError} If it is not declared, or does not fit.
 * @throws {TypeError} If there is no such operation, or the response was read.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { assertDeclared } from "@bough/framework/testing";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const response = await app.fetch(new Request("http://localhost/api/hello"));
 * await assertDeclared(app, "GET /hello", response);
 * ```
 */
export async function assertDeclared(
  app: TestedApplication,
  operation: string,
  response: Response,
): Promise<void> {
  const { routes } = await app.inspect();
  const found = operationsOf(routes, { as: {}, security: [] })
    .find((each) => isNamed(each, operation));
  if (found === undefined) {
    throw new TypeError(
      `Cannot assert a response: there is no operation "${operation}"`,
    );
  }
  const { method, route: { path: target } } = found;
  const plan: RequestPlan = { method, target, headers: {} };
  const read = await readResponse(response.clone(), eventTimeOf(found));
  throwIfFault(await declarationFault(found, { plan, errors: [], ...read }));
}

/**
 * Sends a request, and asserts that the application does not fail: the response is no
 * 500, it comes in time, and neither an error is logged nor a promise left that nobody
 * handles.
 *
 * @param app The application.
 * @param request The request.
 * @param options `timeout`: milliseconds within which the head of the response must be
 * there; 5 000 by default.
 * @returns The response. Of one that goes on without an end, there is no body.
 * @throws {ContractError} If the application fails.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { assertResponds } from "@bough/framework/testing";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const request = new Request("http://localhost/api/hello");
 * const response = await assertResponds(app, request, { timeout: 1_000 });
 * await response.body?.cancel();
 * ```
 */
export async function assertResponds(
  app: Pick<TestedApplication, "fetch">,
  request: Request,
  { timeout = 5_000 }: { readonly timeout?: number } = {},
): Promise<Response> {
  const { method, url } = request;
  const plan: RequestPlan = { method, target: url, headers: {} };
  const exchange = await exchangeOf(plan, () => app.fetch(request), {
    timeout,
    isLocal: true,
  });
  throwIfFault(failureOf(exchange));
  return responseOf(exchange);
}

function throwIfFault(fault: Fault | undefined): void {
  if (fault === undefined) return;
  throw new ContractError(`expected ${fault.expected}; got ${fault.seen}`);
}
