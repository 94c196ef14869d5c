import { IssueReport } from "../http/validation/issue_report.ts";
import { checkJson } from "../http/validation/response_dates.ts";
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
  const issues = await checkJson(schema, value);
  if (issues === undefined) return undefined;
  const report = new IssueReport();
  report.add("body", issues);
  const listed = report.errors.slice(0, 3)
    .map(({ pointer, detail }) => `at "${pointer}" ${detail}`);
  return `that does not fit: ${listed.join("; ")}`;
}

/** The events that are whole: a blank line ends each (HTML, 9.2.6). */
export function* eventsOf(text: string): Generator<ReadEvent> {
  const blocks = text.replaceAll(/\r\n?/g, "\n").split("\n\n");
  for (const block of blocks.slice(0, -1)) {
    let name = "";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
    }
    // Without data it is none: a comment, say, or a time to wait.
    if (data.length > 0) {
      yield { name: name || "message", data: data.join("\n") };
    }
  }
}
