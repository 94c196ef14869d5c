import { createEventParser } from "../client/event_parser.ts";
import { jsonFaults } from "../http/validation/response_faults.ts";
import type { EventSchemas } from "../http/validation/schema.ts";

/** An event as a client reads it. */
interface ReadEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Says in words what is wrong with the first event that does not fit.
 *
 * @param declared The schemas of the data, by the name of the event.
 * @param text The beginning of a stream.
 */
export async function eventFault(
  declared: EventSchemas,
  text: string,
): Promise<string | undefined> {
  for (const { name, data } of eventsOf(text)) {
    const fault = await faultOf(declared, { name, data });
    if (fault !== undefined) return `an event "${name}" ${fault}`;
  }
  return undefined;
}

async function faultOf(
  declared: EventSchemas,
  { name, data }: ReadEvent,
): Promise<string | undefined> {
  const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (schema === undefined) return "that is not declared";
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return "whose data are no JSON";
  }
  const faults = await jsonFaults(schema, value);
  return faults === "" ? undefined : `that does not fit: ${faults}`;
}

/** The events that are whole. */
export function* eventsOf(text: string): Generator<ReadEvent> {
  const parser = createEventParser();
  for (const { event, data } of parser.read(UTF8.encode(text))) {
    yield { name: event, data };
  }
}

const UTF8 = new TextEncoder();
