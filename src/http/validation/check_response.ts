import { IssueReport } from "./issue_report.ts";
import { logWarning } from "../../common/log_error.ts";
import type { FrameworkRequest, Handler } from "../request.ts";
import { assertUsable } from "../response.ts";
import { runSchema } from "./run_schema.ts";
import type { MethodSchema, StandardSchemaV1 } from "./schema.ts";

/** Whether to refuse a response that does not fit its schema, or only to warn. */
export type ResponseValidation = boolean | "warn";

/** Thrown where the response of a handler does not fit its schema. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

/**
 * Wraps a handler to check its responses against their schemas. It reads a copy of
 * each response: the client gets what the handler made, even where the schema strips
 * or transforms values.
 *
 * @param declared The `response` member of the method's schema.
 * @param place The route, for a warning.
 */
export function checkResponses(
  handler: Handler,
  declared: MethodSchema["response"],
  { validation, place }: {
    readonly validation: ResponseValidation;
    readonly place: string;
  },
): Handler {
  if (validation === false || declared === undefined) return handler;
  const schemas = responseSchemas(declared);
  return async (request: FrameworkRequest) => {
    const response = assertUsable(await handler(request));
    const schema = schemas.get(response.status);
    const faults = schema === undefined ? "" : await faultsOf(response, schema);
    if (faults === "") return response;
    const message =
      `its answer with status ${response.status} does not fit its schema: ${faults}`;
    if (validation !== "warn") throw new ResponseSchemaError(message);
    logWarning(`${request.method} ${place}: ${message}`);
    return response;
  };
}

/** The schemas of a method's responses by status; a single one is for status 200. */
export function responseSchemas(
  declared: NonNullable<MethodSchema["response"]>,
): Map<number, StandardSchemaV1> {
  if ("~standard" in declared) {
    return new Map([[200, declared as StandardSchemaV1]]);
  }
  return new Map(
    Object.entries(declared).map(([status, schema]) => [
      Number(status),
      schema,
    ]),
  );
}

async function faultsOf(
  response: Response,
  schema: StandardSchemaV1,
): Promise<string> {
  const body = await readBody(response);
  if (body === undefined) return "";
  if ("malformed" in body) return body.malformed;
  const { issues } = await runSchema(schema, body.value, "response");
  if (issues === undefined) return "";
  const report = new IssueReport();
  report.add("body", issues);
  const listed = report.errors.map(({ pointer, detail }) =>
    `at "${pointer}" ${detail}`
  );
  const rest = report.count - listed.length;
  return (rest > 0 ? [...listed, `and ${rest} more`] : listed).join("; ");
}

/** Reads a body by its content type; `undefined` if that is neither JSON nor text. */
async function readBody(
  response: Response,
): Promise<{ value: unknown } | { malformed: string } | undefined> {
  if (response.body === null) return { value: undefined };
  const [type = ""] = response.headers.get("content-type")?.split(";") ?? [];
  if (/^application\/(?:.+\+)?json$/i.test(type.trim())) {
    try {
      return { value: await response.clone().json() };
    } catch {
      return { malformed: "it is not valid JSON" };
    }
  }
  // A stream of events may never end, so it is not read.
  if (/^text\/(?!event-stream$)/i.test(type.trim())) {
    return { value: await response.clone().text() };
  }
  return undefined;
}
