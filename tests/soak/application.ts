import { Framework } from "@bough/framework";

/** What the route `/api/broken` throws. */
export class PlannedError extends Error {
  override name = "PlannedError";
}

/** The answer to a {@linkcode PlannedError}. */
export const PLANNED_ANSWER = "broken as planned";

/**
 * Makes the application under load. It logs nothing that is to be expected, so
 * that whatever it does log is a fault.
 */
export function createApplication(): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    onError: (error) =>
      error instanceof PlannedError
        ? new Response(PLANNED_ANSWER, { status: 500 })
        : undefined,
  });
}
