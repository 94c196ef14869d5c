import { log, type RequestPlace } from "../core/common/log.ts";
import type { OpenConnections } from "../core/request/connections.ts";
import { recordOf, requestPlace } from "../core/request/record.ts";
import type { Application, Operation } from "../core/request/application.ts";
import { logOmission, withoutUndeclared } from "../core/schema/respond.ts";
import { isDeclared } from "../core/schema/sent_members.ts";
import { shapeOf } from "../core/schema/sides.ts";
import type { MethodSchema, StandardSchemaV1 } from "../core/types/schema.ts";

/** The data of a route that its streams and sockets need. */
export interface LiveRoute {
  readonly application: Application;
  readonly operation: Operation;
  readonly schema: Pick<MethodSchema, "events" | "socket" | "sendUndeclared">;
  /** The method, pattern and file, for the log. */
  readonly place: RequestPlace;
  /** The open connections of the server that received the request. */
  readonly connections: OpenConnections;
}

/** Returns the route whose handler or middleware received the request, if any. */
export function liveRouteOf(request: Request): LiveRoute | undefined {
  const { operation, isHandled, connections } = recordOf(request) ?? {};
  if (operation === undefined || connections === undefined) return undefined;
  // The schemas of the method do not apply to a stream that middleware opens.
  const schema = isHandled ? operation.schema : undefined;
  return {
    application: operation.application,
    operation,
    schema: schema ?? {},
    place: requestPlace(request, operation),
    connections,
  };
}

/**
 * Leaves out the members that the schema of an event or a message does not declare, unless
 * the method sends them.
 *
 * @param part The schema.
 * @param sent The value, its JSON, and its name for the log.
 * @returns The text to send, and the JSON to check.
 */
export function declaredJson(
  { schema, application, operation, place }: LiveRoute,
  part: StandardSchemaV1,
  { value, json, what }: {
    readonly value: unknown;
    readonly json: string;
    readonly what: string;
  },
): Record<"text" | "json", string> {
  const { sendUndeclared = application.sendUndeclared || undefined } = schema;
  const whole = { text: json, json };
  if (sendUndeclared || isDeclared(value, shapeOf(part))) return whole;
  const { text, omitted } = withoutUndeclared(part, json);
  if (omitted === undefined) return whole;
  if (sendUndeclared === false) return { text, json: text };
  // The check reports the member.
  if (application.validateResponses === false) {
    logOmission(omitted, { operation, place, what });
  }
  return { text, json };
}

/**
 * Logs an error that occurs after the status and the headers were sent. Bough can no
 * longer send an error response. If `onError` returns a response, Bough considers the
 * error logged.
 *
 * @param what The part that failed, for the log: "the stream of events".
 */
export async function reportError(
  error: unknown,
  request: Request,
  { route, what }: {
    readonly route: LiveRoute | undefined;
    readonly what: string;
  },
): Promise<void> {
  const place = route?.place ?? "outside of a route";
  const entry = { level: "error", place, message: `${what} failed` } as const;
  const { onError } = route?.application ?? {};
  try {
    if (await onError?.(error, request) !== undefined) return;
  } catch (failure) {
    log({ ...entry, error: failure });
  }
  log({ ...entry, error });
}
