/** The error of the route `/api/broken`. */
export class PlannedError extends Error {
  override name = "PlannedError";
}

/** The body of the response to a {@linkcode PlannedError}. */
export const PLANNED_BODY = "broken as planned";
