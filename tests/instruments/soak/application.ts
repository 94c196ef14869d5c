import { Framework } from "@bough/framework";
import { PLANNED_BODY, PlannedError } from "./planned_error.ts";
// Routes import these modules, too, but the process may read only the folder of routes.
// Importing them with the program requires no permission.
import "./live.ts";
import "./topics.ts";
import "./wrapping.ts";

/**
 * Creates the application under load. It does not log planned errors, so every line of
 * its log is a fault.
 */
export function createApplication(): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    onError: (error) =>
      error instanceof PlannedError
        ? new Response(PLANNED_BODY, { status: 500 })
        : undefined,
  });
}
