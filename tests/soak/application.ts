import { Framework } from "@bough/framework";
import { PLANNED_ANSWER, PlannedError } from "./planned_error.ts";
// So that what it imports is there when the routes are, which may read no more
// than their own folder.
import "./wrapping.ts";

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
