import { shorten } from "../../core/common/values.ts";
import type { RequestEntry } from "./entry.ts";

/** Lists a request, without its contents. */
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
