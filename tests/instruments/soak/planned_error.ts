/** The error of the route `/api/broken`. */
export class PlannedError extends Error {
  override name = "PlannedError";
}

export const PLANNED_BODY = "broken as planned";
