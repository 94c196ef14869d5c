import {
  type DeferredBody,
  ensureRecord,
  recordOf,
  type RequestRecord,
} from "../record/record.ts";
import { cloneUnread, limitBody, type Readers, setReaders } from "./readers.ts";

/**
 * Replaces the body readers of a request by readers that wait until the rules are
 * known: middleware may read the body of a route that is not imported yet.
 */
export function deferBody(
  request: Request,
  record: RequestRecord,
  deferred: DeferredBody,
): void {
  record.deferredBody = deferred;
  setReaders(request, READERS);
}

/** Waits for the rules. After that, the body is read as in a route that is imported. */
export async function settleBody(request: Request): Promise<void> {
  const record = recordOf(request)!;
  const findRules = record.deferredBody?.findRules;
  if (findRules === undefined) return;
  const rules = await findRules();
  const deferred = record.deferredBody;
  // Another reader may have waited, too.
  if (deferred?.findRules !== findRules) return;
  limitBody(request, record, { rules, framed: deferred.framed });
}

type Reader = Exclude<keyof Readers, "clone">;

function afterRules<Name extends Reader>(name: Name): Readers[Name] {
  async function read(this: Request): Promise<unknown> {
    await settleBody(this);
    return await this[name]();
  }
  return read as Readers[Name];
}

const READERS: Readers = {
  json: afterRules("json"),
  text: afterRules("text"),
  bytes: afterRules("bytes"),
  arrayBuffer: afterRules("arrayBuffer"),
  blob: afterRules("blob"),
  formData: afterRules("formData"),
  clone() {
    const copy = cloneUnread(this);
    const { findRules } = recordOf(this)!.deferredBody!;
    deferBody(copy, ensureRecord(copy), { findRules, framed: false });
    return copy;
  },
};
