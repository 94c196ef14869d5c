import { isNamed, operationsOf } from "./operation.ts";
import { RESPONSE_TIMEOUT, type TestedApplication } from "./options.ts";
import { Patience } from "./patience.ts";
import type { RequestPlan } from "./plan.ts";
import {
  ContractError,
  declarationFault,
  failureOf,
  type Fault,
} from "./checks.ts";
import { exchangeOf, readResponse, responseOf } from "./send/exchange.ts";

/**
 * Asserts that an operation declares the status of a response, and that the media type,
 * headers and body fit the declaration.
 *
 * @param app The application.
 * @param operation The method and the path, with or without the prefix.
 * @param response The response, which can still be read afterwards.
 * @throws {ContractError} If the operation does not declare the response.
 * @throws {TypeError} If the operation is unknown, or the body of the response was read.
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
  const found = operationsOf(routes, [])
    .find((each) => isNamed(each, operation));
  if (found === undefined) {
    throw new TypeError(
      `Cannot check the response: "${operation}" is not an operation of the application`,
    );
  }
  const { method, route: { path: target } } = found;
  const plan: RequestPlan = { method, target, headers: {} };
  const read = await readResponse(response.clone(), found.patience);
  throwIfFault(await declarationFault(found, { plan, ...read }));
}

/**
 * Sends a request, and asserts that the application does not fail. The application must
 * respond in time with a status other than 500, log no error, and handle every rejection.
 * The work of `request.waitUntil()` must end in time, too.
 *
 * @param app The application.
 * @param request The request.
 * @param options `timeout`: milliseconds for the status and headers, and again for the
 * work; 5,000 by default.
 * @returns The response. The body of an endless response is empty.
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
  { timeout = RESPONSE_TIMEOUT }: { readonly timeout?: number } = {},
): Promise<Response> {
  const { method, url } = request;
  const plan: RequestPlan = { method, target: url, headers: {} };
  const exchange = await exchangeOf(plan, () => app.fetch(request), {
    request,
    timeout,
    // The error of a stream of events may follow its first event.
    patience: new Patience(),
    isLocal: true,
  });
  throwIfFault(failureOf(exchange));
  return responseOf(exchange);
}

function throwIfFault(fault: Fault | undefined): void {
  if (fault === undefined) return;
  throw new ContractError(`expected ${fault.expected}; got ${fault.seen}`);
}
