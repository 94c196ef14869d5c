import { Framework } from "@bough/framework";
import { PLANNED_BODY, PlannedError } from "./planned_error.ts";
// Imported with the program, which takes no permission. Routes import them, too, and
// the process may read only their folder.
import "./live.ts";
import "./topics.ts";
import "./wrapping.ts";

/**
 * Creates the application under load. It does not log planned errors, so whatever
 * it logs is a fault.
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
