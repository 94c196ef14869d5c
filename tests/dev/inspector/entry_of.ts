import type {
  EntryBody,
  RequestEntry,
} from "../../../src/dev/inspector/entry.ts";

/** An entry, with defaults for members that are not given. */
export function entryOf(members: Partial<RequestEntry> = {}): RequestEntry {
  return {
    id: 1,
    version: 1,
    state: "done",
    time: "2026-03-14T09:26:53.589Z",
    method: "GET",
    url: "/api/books",
    isDeprecated: false,
    status: 200,
    duration: 4.2,
    steps: [],
    request: { headers: [] },
    params: {},
    issues: [],
    logs: [],
    messages: [],
    messageCount: 0,
    secrets: [],
    ...members,
  };
}

/** A complete body. */
export function bodyOf(text: string, type = "application/json"): EntryBody {
  const size = new TextEncoder().encode(text).length;
  return { type, size, text };
}
