import { shorten } from "../../core/common/values.ts";
import type { EntryError, RequestEntry } from "./entry.ts";

/** Describes a request by a few members, for a list. */
export function summarizeRequest(
  { id, method, url, route, status, state, duration, issues, error }:
    RequestEntry,
): Record<string, unknown> {
  const [issue] = issues;
  const problem = issue === undefined
    ? error?.text
    : `${issue.in}${issue.pointer}: ${issue.detail}`;
  return {
    id,
    method,
    url: shorten(url, 200),
    route,
    status,
    state,
    duration: rounded(duration),
    problem: problem && shorten(problem, 300),
  };
}

/**
 * Shortens a request to save the context of an agent: cuts long strings, and keeps only
 * the last logs and messages.
 */
export function shortenRequest(
  { copies: _copies, version: _version, ...entry }: RequestEntry,
): Omit<RequestEntry, "copies" | "version"> {
  const { duration, steps, error, logs, messages } = entry;
  const shown = {
    ...entry,
    duration: rounded(duration),
    steps: steps.map(({ start, duration, ...step }) => (
      { ...step, start: rounded(start), duration: rounded(duration) }
    )),
    ...(error && { error: shortenError(error) }),
    logs: logs.slice(-20),
    messages: messages.slice(-20),
  };
  const cut = (_: string, value: unknown) =>
    typeof value === "string" ? shorten(value, 4_000) : value;
  return JSON.parse(JSON.stringify(shown, cut));
}

/** Keeps the frames of the program, or the first ones if there are none. */
function shortenError({ text, frames, cause }: EntryError): EntryError {
  const own = frames.filter(({ file }) => file !== undefined);
  return {
    text,
    frames: own.length > 0 ? own : frames.slice(0, 3),
    ...(cause && { cause: shortenError(cause) }),
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
