import { shorten } from "../../core/common/values.ts";
import type { EntryError, RequestEntry } from "./entry.ts";

/** Which requests to list; all by default. */
export interface RequestFilter {
  readonly method?: string | undefined;
  /** A status, such as `404`, or a class of statuses, such as `4xx`. */
  readonly status?: string | undefined;
  readonly route?: string | undefined;
  /** A text anywhere in the request, ignoring case. */
  readonly text?: string | undefined;
}

/** Whether a request for agents matches a filter. */
export function isListed(
  entry: RequestEntry,
  { method, status, route, text }: RequestFilter,
): boolean {
  if (method !== undefined && entry.method !== method) return false;
  if (route !== undefined && entry.route !== route) return false;
  const digits = status?.replace(/x+$/i, "");
  if (digits !== undefined && !`${entry.status}`.startsWith(digits)) {
    return false;
  }
  return text === undefined ||
    JSON.stringify(entry).toLowerCase().includes(text.toLowerCase());
}

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
    duration,
    problem: problem && shorten(problem, 300),
  };
}

/** Replaces the texts of errors and logs with those for agents. */
export function forAgents(
  { copies: _, error, logs, ...entry }: RequestEntry,
): RequestEntry {
  return {
    ...entry,
    ...(error && { error: errorForAgents(error) }),
    logs: logs.map(({ agents, text, ...log }) => (
      { ...log, text: agents ?? text }
    )),
  };
}

/** Keeps the frames of the program, or the first ones if there are none. */
function errorForAgents(
  { text, agents = text, frames, cause }: EntryError,
): EntryError {
  const own = frames.filter(({ file }) => file !== undefined);
  return {
    text: agents,
    frames: own.length > 0 ? own : frames.slice(0, 3),
    ...(cause && { cause: errorForAgents(cause) }),
  };
}

/**
 * Shortens a request for agents to save their context: cuts long strings, and keeps only
 * the last logs and messages.
 */
export function shortenRequest(entry: RequestEntry): RequestEntry {
  const [logs, messages] = [entry.logs.slice(-20), entry.messages.slice(-20)];
  const cut = (_: string, value: unknown) =>
    typeof value === "string" ? shorten(value, 4_000) : value;
  return JSON.parse(JSON.stringify({ ...entry, logs, messages }, cut));
}
