import { RouteError } from "../../core/common/faults.ts";
import type { Inspection } from "../../../mod.ts";
import { documentOf } from "../../openapi/plugin.ts";
import { liftLimits } from "../../protect/rate_limit.ts";
import {
  type CapturePlace,
  capturePlaces,
  isWithin,
  locationOf,
  valueAt,
} from "../generate/pool.ts";
import { EXPIRED, Identity, masked } from "../identity.ts";
import {
  credentialsOf,
  isNamed,
  type Operation,
  operationsOf,
  operationsReached,
  type ReachedOperation,
} from "../operation.ts";
import {
  isReadOnly,
  type ResolvedTestOptions,
  type TestedApplication,
} from "../options.ts";
import {
  type Exchange,
  type MakeApplication,
  Target,
} from "../send/exchange.ts";

/** The application that a run tests, its operations and its users. */
export interface Subject {
  readonly target: Target;
  readonly options: ResolvedTestOptions;
  /** The operations of the application, including those of the option `skip`. */
  readonly all: readonly Operation[];
  readonly operations: readonly Operation[];
  /** The operations whose requests may change data of a running server. */
  readonly leftOut: readonly Operation[];
  readonly places: readonly CapturePlace[];
  readonly identities: ReadonlyMap<string, Identity>;
  /** The identities without the expired one. */
  readonly users: readonly Identity[];
  /** The time at which the run ends. */
  readonly end: number;
}

/**
 * Creates the application, finds its operations, and logs in all identities.
 *
 * @throws {RouteError} If the application cannot start.
 * @throws {TypeError} If an option names an unknown operation.
 * @throws {Error} If an identity cannot log in.
 */
export async function createSubject(
  app: TestedApplication | MakeApplication,
  options: ResolvedTestOptions,
): Promise<Subject> {
  const make = typeof app === "function" ? app : () => app;
  const target = await Target.create(make, options);
  const inspection = await target.application.inspect();
  if (inspection.faults.length > 0) throw new RouteError(inspection.faults);
  const all = allOperations(inspection, options);
  const end = performance.now() + options.timeLimit;
  const wanted = all.filter((operation) =>
    !options.skip.some((name) => isNamed(operation, name))
  );
  const operations = wanted.filter(({ isSafe }) =>
    isSafe || !isReadOnly(options)
  );
  const leftOut = wanted.filter((each) => !operations.includes(each));
  const identities = new Map(
    Object.entries(options.as)
      .map(([name, each]) => [name, new Identity(name, each)]),
  );
  const users = [...identities.values()]
    .filter(({ name }) => name !== EXPIRED);
  for (const operation of wanted) operation.as = users[0];
  using _lifted = liftLimits();
  for (const identity of identities.values()) await identity.logIn(target);
  return {
    ...{ target, options, all, operations, leftOut, identities, users, end },
    places: capturePlaces(operations),
  };
}

/**
 * The operations of an application.
 *
 * @throws {TypeError} If an option names an unknown operation.
 */
function allOperations(
  { routes, plugins }: Inspection,
  { url, skip, generators }: ResolvedTestOptions,
): Operation[] {
  const { security = [], components } =
    documentOf(plugins, routes, {})?.document ?? {};
  const schemes = Object.values(components?.securitySchemes ?? {});
  const all = operationsOf(routes, security, {
    isLocal: url === undefined,
    credentials: credentialsOf(schemes),
  });
  for (const name of [...skip, ...Object.keys(generators)]) {
    if (all.some((operation) => isNamed(operation, name))) continue;
    const names = all.map(({ name }) => `"${name}"`).join(", ");
    throw new TypeError(
      `Cannot test the application: "${name}" is not one of its operations; the operations are ${names}`,
    );
  }
  return all;
}

/** Masks the secrets of all identities, which reports must not contain. */
export function withoutSecrets({ identities }: Subject, text: string): string {
  return masked(text, identities.values().flatMap(({ secrets }) => secrets));
}

/** The operation to which the `Location` of a response leads, `GET` if possible. */
export function operationOfLocation(
  { all, target: { origin } }: Subject,
  exchange: Exchange,
): ReachedOperation | undefined {
  const location = locationOf(exchange, origin);
  if (location === undefined) return undefined;
  const found = operationsReached(all, location);
  return found.find(({ operation: { method } }) => method === "GET") ??
    found[0];
}

/** The place of the resources that an operation creates. */
export function placeCreatedBy(
  { places }: Subject,
  operation: Operation,
): CapturePlace | undefined {
  return places.find(({ create }) => create === operation);
}

/** The created resource that a `Location` identifies. */
export function createdBy(
  subject: Subject,
  { route }: Operation,
  exchange: Exchange,
): ReachedOperation & { readonly id: unknown } | undefined {
  const reached = operationOfLocation(subject, exchange);
  // A 409 may name the resource that exists.
  const isRefused = (exchange.status ?? 500) > 303;
  if (reached === undefined || isRefused) return undefined;
  const { segments } = reached.operation.route;
  // A path above its own path existed before: `POST /tasks/[id]/run`.
  const isAbove = isWithin(route, { segments });
  if (isAbove || segments.at(-1)!.kind === "static") return undefined;
  return { ...reached, id: valueAt({ segments }, reached.captures) };
}
