import { logWarning } from "../common/log_error.ts";
import type { LiveRoute } from "../http/live_route.ts";
import { ResponseSchemaError } from "../http/validation/check_response.ts";
import { jsonFaults } from "../http/validation/response_faults.ts";
import type { EventSchemas } from "../http/validation/schema.ts";

/** Checks the JSON of an event; rejects if it does not fit. */
export type EventCheck = (name: string, json: string) => Promise<void>;

/**
 * Makes the check of the events of a route: `undefined` where there is nothing to
 * check. It reads what is sent, as the check of responses does.
 */
export function createEventCheck(
  { schema: { events }, validation, place }: LiveRoute,
): EventCheck | undefined {
  if (events === undefined || validation === false) return undefined;
  return async (name, json) => {
    const fault = await eventFault(events, name, json);
    if (fault === undefined) return;
    const message = `its event "${name}" ${fault}`;
    if (validation !== "warn") throw new ResponseSchemaError(message);
    logWarning(`${place}: ${message}`);
  };
}

/** Says in words how an event differs from what is declared. */
async function eventFault(
  events: EventSchemas,
  name: string,
  json: string,
): Promise<string | undefined> {
  const schema = Object.hasOwn(events, name) ? events[name] : undefined;
  if (schema === undefined) {
    const names = Object.keys(events).map((each) => `"${each}"`).join(", ");
    return `is not declared; declare it in "events" beside ${names}`;
  }
  const faults = await jsonFaults(schema, JSON.parse(json));
  return faults === "" ? undefined : `does not fit its schema: ${faults}`;
}
