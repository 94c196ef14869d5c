import { isContent, MEDIA_TYPE } from "../http/validation/content.ts";
import { BODYLESS } from "../http/validation/declared_response.ts";
import type { ResponseDescription } from "../http/validation/schema.ts";
import { isObject, kindOf } from "./kind.ts";
import type { Report } from "./route_error.ts";

/** The end of a message about a value that is no schema. */
export const NO_SCHEMA =
  "is no Standard Schema; make it with zod, Valibot, ArkType or the like";

/** Whether a value implements Standard Schema. */
export function isStandardSchema(value: unknown): boolean {
  // A schema may be a function: ArkType's are.
  if (!isObject(value) && typeof value !== "function") return false;
  const standard = (value as Record<string, unknown>)["~standard"];
  return isObject(standard) && typeof standard.validate === "function";
}

/**
 * Checks the responses of a method, a schema or an object by status.
 *
 * @param member Where they stand: `schema.get.response`.
 */
export function checkResponses(
  member: string,
  responses: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  if (isStandardSchema(responses)) return;
  if (isContent(responses)) {
    report(`${member} is content(); give it by status, { 200: content(...) }`);
    return;
  }
  for (const [status, response] of Object.entries(responses)) {
    if (/^[2-5]\d\d$/.test(status)) {
      checkResponse(`${member}[${status}]`, response, {
        isBodyless: BODYLESS.has(Number(status)),
        report,
      });
    } else {
      report(
        `${member} has the key "${status}"; give a schema, or schemas by status, 200 to 599, such as { 200: ... }`,
      );
    }
  }
}

interface Context {
  /** Whether a response of this status never has a body. */
  readonly isBodyless: boolean;
  readonly report: Report;
}

const CHECKS: {
  readonly [Member in keyof ResponseDescription]-?: (
    member: string,
    value: unknown,
    context: Context,
  ) => void;
} = {
  body(member, value, { isBodyless, report }) {
    if (isBodyless) {
      report(`${member} is never sent with this status; drop it`);
    } else if (isContent(value)) {
      checkContent(member, value, report);
    } else if (!isStandardSchema(value)) {
      report(`${member} ${NO_SCHEMA}, or with content("application/pdf")`);
    }
  },
  headers(member, value, { report }) {
    if (isStandardSchema(value)) return;
    const isWrapper = isObject(value) &&
      Object.values(value).some(isStandardSchema);
    report(
      isWrapper
        ? `${member} is an object of schemas; make it one schema, such as z.object({ ... })`
        : `${member} ${NO_SCHEMA}`,
    );
  },
  description(member, value, { report }) {
    if (typeof value !== "string") report(`${member} must be a string`);
  },
};

function checkResponse(
  member: string,
  response: unknown,
  context: Context,
): void {
  if (isStandardSchema(response)) return;
  if (isContent(response)) {
    CHECKS.body(member, response, context);
    return;
  }
  if (!isObject(response)) {
    context.report(
      `${member} ${NO_SCHEMA}, or describe it: { body: ..., headers: ... }, or {} without a body`,
    );
    return;
  }
  for (const [name, value] of Object.entries(response)) {
    if (Object.hasOwn(CHECKS, name)) {
      const check = CHECKS[name as keyof ResponseDescription];
      check(`${member}.${name}`, value, context);
    } else {
      context.report(
        `${member}.${name} is not known; a response has "body", "headers", "description"`,
      );
    }
  }
}

function checkContent(
  member: string,
  { mediaType, schema }: Readonly<Record<"mediaType" | "schema", unknown>>,
  report: Report,
): void {
  if (typeof mediaType !== "string" || !MEDIA_TYPE.test(mediaType)) {
    report(
      `${member}.mediaType is ${
        typeof mediaType === "string" ? `"${mediaType}"` : kindOf(mediaType)
      }; make it with content("application/pdf")`,
    );
  }
  if (schema !== undefined && !isStandardSchema(schema)) {
    report(`${member}.schema ${NO_SCHEMA}`);
  }
}
