import { shorten } from "../../core/common/values.ts";
import type { RequestEntry } from "./entry.ts";

/** The recorder of requests, as the API needs it. */
export interface RequestLog {
  /** Identifies the start of the program. */
  readonly start: string;
  /** The version of the latest change. */
  readonly version: number;
  /** The kept requests, newest first. */
  readonly entries: readonly RequestEntry[];
  /** The number of a request that was sent to a recorded handler. */
  readonly idOf: (request: Request) => number | undefined;
}

/** A filter of requests; a missing member matches all. */
export interface RequestFilter {
  readonly method?: string | undefined;
  /** A status, or a class such as `4xx`. */
  readonly status?: string | undefined;
  /** A part of the pattern of the route. */
  readonly route?: string | undefined;
  /** A part of any text of the request, such as a value in its body. */
  readonly text?: string | undefined;
}

/** A request in a list. */
export type RequestSummary =
  & Pick<
    RequestEntry,
    "id" | "method" | "url" | "route" | "state" | "duration"
  >
  & {
    readonly status: number | undefined;
    /** The first issue, or the error. */
    readonly problem: string | undefined;
  };

/** Lists a request, without its contents. */
export function summarizeRequest(
  { id, method, url, route, status, state, duration, issues, error }:
    RequestEntry,
): RequestSummary {
  const [issue] = issues;
  const problem = issue === undefined
    ? error?.text
    : `${issue.in}${issue.pointer}: ${issue.detail}`;
  return {
    id,
    method,
    url: shorten(url, 200),
    ...(route !== undefined && { route }),
    status,
    state,
    duration,
    problem: problem && shorten(problem, 300),
  };
}

/** Whether a request matches a filter. */
export function matches(
  entry: RequestEntry,
  { method = entry.method, status = "", route = "", text = "" }: RequestFilter,
): boolean {
  return entry.method === method.toUpperCase() &&
    String(entry.status ?? "").startsWith(status.replace(/x+$/i, "")) &&
    (entry.route ?? "").includes(route) &&
    JSON.stringify(entry).toLowerCase().includes(text.toLowerCase());
}

/**
 * Shortens a request for an agent, whose context is precious: long strings are cut, and
 * of many logs or messages, only the last remain.
 */
export function shortenRequest(
  { copies: _copies, version: _version, ...entry }: RequestEntry,
): Omit<RequestEntry, "copies" | "version"> {
  const shown = {
    ...entry,
    logs: entry.logs.slice(-20),
    messages: entry.messages.slice(-20),
  };
  const cut = (_: string, value: unknown) =>
    typeof value === "string" ? shorten(value, 4_000) : value;
  return JSON.parse(JSON.stringify(shown, cut));
}
