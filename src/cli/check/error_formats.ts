import { messageOf } from "../../core/common/values.ts";
import {
  type ErrorDetails,
  type ErrorFormat,
  type ErrorParts,
  InvalidRequest,
} from "../../core/errors.ts";
import { OWN_ERRORS } from "../../core/own_errors.ts";
import {
  detailsOf,
  formatError,
  formatFaults,
} from "../../core/operation/error_format.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import type { Warning } from "../../core/start/discover.ts";
import type { Inspection } from "../../core/start/inspect.ts";
import { warning } from "./rules.ts";

const DETAIL = "An explanation";
const ISSUES = SCHEMA_PARTS.map((part) => (
  { in: part, pointer: "#/name", detail: DETAIL }
));

/** Errors as Bough and handlers throw them; an `HttpError` may have no detail. */
const ERRORS: readonly ErrorParts[] = [
  new InvalidRequest(DETAIL, {}, ISSUES),
  new InvalidRequest(DETAIL),
  ...new Set(Object.values(OWN_ERRORS).map((each) => each.status)).values()
    .flatMap((status) => [{ status, detail: DETAIL }, { status }]),
];

/** Warns of error formats that fail, or make bodies that violate their schemas. */
export async function formatWarnings(
  { errors, routes }: Pick<Inspection, "errors" | "routes">,
): Promise<Warning[]> {
  const formats = new Map(
    routes.map((route) => [route.errors, route.errorsFile]),
  );
  formats.set(errors, "option errors");
  const warnings: Warning[] = [];
  for (const [format, path] of formats) {
    if (format === undefined) continue;
    const statuses = new Map<string, Set<number>>();
    for (const error of ERRORS) {
      const details = detailsOf(error, format);
      const fault = await faultOf(details, format);
      if (fault === undefined) continue;
      statuses.getOrInsertComputed(fault, () => new Set()).add(details.status);
    }
    for (const [fault, found] of statuses) {
      const list = [...found].join(", ");
      const message = `errors.format() ${fault} (status ${list})`;
      warnings.push(warning("error-format", path!, message));
    }
  }
  return warnings;
}

async function faultOf(
  details: ErrorDetails,
  format: ErrorFormat,
): Promise<string | undefined> {
  const request = new Request("http://localhost/");
  try {
    const body = formatError(details, format, request);
    const faults = await formatFaults(format, body);
    return faults === ""
      ? undefined
      : `makes a body that does not fit errors.schema: ${faults}`;
  } catch (error) {
    return `fails: ${messageOf(error)}`;
  }
}
