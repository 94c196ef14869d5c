import { failedText, placeText } from "../../core/common/log.ts";
import type { ContractFailure, Fault } from "../checks.ts";
import type { Operation } from "../operation.ts";

/** The properties for which operations below the same middleware may share a cause. */
const SHARED = /^(?:accepted|refused|declared|methods|security)$/;

const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/**
 * A string that is equal for failures with the same cause. Such failures violate one
 * property. Their sentences name the same line or member, and differ only in values of the
 * requests. Without a line or member, operations share a cause only if they have the
 * same middleware.
 */
export function causeOf(
  failure: Omit<ContractFailure, "operations"> & Fault,
  { route: { middleware } }: Pick<Operation, "route">,
): string {
  const { property, operation, file, expected, seen, requests, place } =
    failure;
  const fixed = operation.split("/");
  const sent = requests.flatMap(({ target, body = "" }) => [
    ...target.split(/[/?&]|[^&]*=/).filter((step) => !fixed.includes(step)),
    // Strings in JSON, except names of members.
    ...body.matchAll(/"((?:[^"\\]|\\.)*)"(?!:)/g).map(([, text]) => text),
  ]);
  const isSent = (text: string) =>
    sent.includes(text) || sent.includes(encodeURIComponent(text));
  const general = (text: string) =>
    text.toWellFormed()
      .replaceAll(UUID, "…")
      // The indexes of arrays: `#/items/0/name`.
      .replaceAll(/\/\d+(?![^/"; ])/g, "/…")
      .replaceAll(/"([^"]+)"/g, (all, inner) => isSent(inner) ? "…" : all)
      // All numbers except line numbers.
      .replaceAll(/(?<![\w:])\d+\b(?:, \d+\b)*/g, "…");
  const isOwn = typeof place === "object" && place.file === file &&
    `${place.method} ${place.pattern}` === operation;
  const prefix = isOwn ? `${failedText(placeText(place))}: ` : "";
  const isShared = SHARED.test(property);
  const isAbsence = failure.kind === "absence";
  const isOfMember = isAbsence || failure.namesMember;
  const places = failure.namesLine || isShared && isOfMember
    ? []
    : isShared && middleware.length > 0
    ? middleware
    : [operation];
  // A missing header would have had a different value in each response.
  const required = isAbsence ? "" : general(expected);
  const statuses = [failure.expectedStatus, failure.status];
  return JSON.stringify([
    property,
    statuses,
    required,
    general(seen.replace(prefix, "")),
    places,
  ]);
}
