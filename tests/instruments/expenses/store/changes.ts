import type { Report } from "../schemas.ts";
import type { Store } from "./database.ts";
import { findReport } from "./reports.ts";

/** A report after a change; `undefined` if it was removed. */
export interface Change {
  readonly revision: number;
  readonly id: number;
  readonly report: Report | undefined;
}

/** Yields the changes of a user's reports after a revision, then new changes. */
export async function* changesAfter(
  store: Store,
  owner: number,
  revision: number,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  let seen = revision;
  while (!signal.aborted) {
    const [change] = store.all<{ revision: number; report: number }>(
      `SELECT revision, report FROM changes
       WHERE owner = :owner AND revision > :seen ORDER BY revision LIMIT 1`,
      { owner, seen },
    );
    if (change === undefined) {
      await nextChange(store, signal);
    } else {
      seen = change.revision;
      const id = change.report;
      yield { revision: seen, id, report: findReport(store, id)?.report };
    }
  }
}

function nextChange(store: Store, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function wake(): void {
      store.sleepers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    }
    store.sleepers.add(wake);
    signal.addEventListener("abort", wake);
  });
}
