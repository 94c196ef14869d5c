/** What the route `/api/broken` throws. */
export class PlannedError extends Error {
  override name = "PlannedError";
}

/** The answer to a {@linkcode PlannedError}. */
export const PLANNED_ANSWER = "broken as planned";
