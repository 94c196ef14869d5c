import { IssueReport } from "./issue_report.ts";
import { logWarning } from "../../common/log_error.ts";
import type { FrameworkRequest, Handler } from "../request.ts";
import { assertUsable, discard } from "../response.ts";
import { runSchema } from "./run_schema.ts";
import type { MethodSchema, StandardSchemaV1 } from "./schema.ts";

/** What to do about an answer that does not fit its schema. */
export type ResponseValidation = boolean | "warn";

/** Thrown where a handler's answer does not fit the schema declared for it. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

/**
 * Makes a handler whose answers are checked against the schemas declared for
 * them. The answer is read from a copy: what the client gets is what the handler
 * made, whatever the schema would strip or transform.
 *
 * @param place How a warning spells the route.
 */
export function checkResponses(
  handler: Handler,
  response: MethodSchema["response"],
  { validation, place }: {
    readonly validation: ResponseValidation;
    readonly place: string;
  },
): Handler {
  if (validation === false || response === undefined) return handler;
  const schemas = responseSchemas(response);
  return async (request: FrameworkRequest) => {
    const answer = assertUsable(await handler(request));
    const schema = schemas.get(answer.status);
    const faults = schema === undefined ? "" : await faultsOf(answer, schema);
    if (faults === "") return answer;
    const message =
      `its answer with status ${answer.status} does not fit its schema: ${faults}`;
    if (validation !== "warn") {
      discard(answer);
      throw new ResponseSchemaError(message);
    }
    logWarning(`${request.method} ${place}: ${message}`);
    return answer;
  };
}

/** The schemas of a method's answers by status; one alone is for status 200. */
export function responseSchemas(
  response: NonNullable<MethodSchema["response"]>,
): Map<number, StandardSchemaV1> {
  if ("~standard" in response) {
    return new Map([[200, response as StandardSchemaV1]]);
  }
  return new Map(
    Object.entries(response).map(([status, schema]) => [
      Number(status),
      schema,
    ]),
  );
}

async function faultsOf(
  answer: Response,
  schema: StandardSchemaV1,
): Promise<string> {
  const body = await readBody(answer);
  if (body === undefined) return "";
  if ("malformed" in body) return body.malformed;
  const { issues } = await runSchema(schema, body.value, "response");
  if (issues === undefined) return "";
  const report = new IssueReport();
  report.add("body", issues);
  const told = report.errors.map(({ pointer, detail }) =>
    `at "${pointer}" ${detail}`
  );
  const rest = report.count - told.length;
  return (rest > 0 ? [...told, `and ${rest} more`] : told).join("; ");
}

/** A body as its content type says; nothing where it cannot be looked at. */
async function readBody(
  answer: Response,
): Promise<{ value: unknown } | { malformed: string } | undefined> {
  if (answer.body === null) return { value: undefined };
  const [type = ""] = answer.headers.get("content-type")?.split(";") ?? [];
  if (/^application\/(?:.+\+)?json$/i.test(type.trim())) {
    try {
      return { value: await answer.clone().json() };
    } catch {
      return { malformed: "it is not valid JSON" };
    }
  }
  // A stream of events may never end.
  if (/^text\/(?!event-stream$)/i.test(type.trim())) {
    return { value: await answer.clone().text() };
  }
  return undefined;
}
