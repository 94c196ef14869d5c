import { PROPERTIES } from "../properties/properties.ts";
import type { Failure } from "./failure.ts";

/**
 * A string that is equal for failures with the same cause. Such failures violate one
 * property in the same way, at the same members or lines. If a fault names neither,
 * operations share a cause only if they have the same middleware.
 */
export function causeOf(
  { property, operation, counterexample: { fault } }: Failure,
): string {
  const { kind, at = [], expectedStatus, status } = fault;
  const { name, route: { middleware } } = operation;
  const isShared = PROPERTIES[property].sharesCauses && middleware.length > 0;
  const places = at.length > 0 ? at : isShared ? middleware : [name];
  return JSON.stringify([property, kind, expectedStatus, status, places]);
}
