import {
  type DeferredBody,
  ensureRecord,
  recordOf,
  type RequestRecord,
} from "../record/record.ts";
import {
  cloneUnread,
  READERS,
  type Readers,
  setReaders,
  setRules,
} from "./readers.ts";

/**
 * Replaces the body readers of a request with readers that wait for the rules, since
 * middleware may read the body before the route is imported.
 */
export function deferBody(
  request: Request,
  record: RequestRecord,
  deferred: DeferredBody,
): void {
  record.deferredBody = deferred;
  setReaders(request, DEFERRED);
}

/**
 * Waits for the rules, then sets them. Afterwards, the readers work as in an imported
 * route. The readers remain in place, since middleware may have replaced
 * `request.json`.
 */
export async function settleBody(request: Request): Promise<void> {
  const record = recordOf(request)!;
  const findRules = record.deferredBody?.findRules;
  if (findRules === undefined) return;
  const rules = await findRules();
  const deferred = record.deferredBody;
  // Meanwhile, another reader may have set the rules, or another application may have
  // received the request.
  if (deferred?.findRules !== findRules) return await settleBody(request);
  setRules(record, { rules, framed: deferred.framed });
}

type Reader = Exclude<keyof Readers, "clone">;

function afterRules<Name extends Reader>(name: Name): Readers[Name] {
  async function read(this: Request): Promise<unknown> {
    await settleBody(this);
    return await READERS[name].call(this);
  }
  return read as Readers[Name];
}

const DEFERRED: Readers = {
  json: afterRules("json"),
  text: afterRules("text"),
  bytes: afterRules("bytes"),
  arrayBuffer: afterRules("arrayBuffer"),
  blob: afterRules("blob"),
  formData: afterRules("formData"),
  clone() {
    const deferred = recordOf(this)!.deferredBody;
    if (deferred === undefined) return READERS.clone.call(this);
    const copy = cloneUnread(this);
    const { findRules } = deferred;
    deferBody(copy, ensureRecord(copy), { findRules, framed: false });
    return copy;
  },
};
