import { shorten } from "../core/common/values.ts";
import { canonical, canonicalData, digestOf } from "./canonical.ts";
import type { ShownRequest } from "./operations.ts";
import { type Clients, type Narrowing, REST } from "./schema.ts";
import type { Direction } from "./validators.ts";

/** A change that breaks clients, or that cannot be judged. */
export interface Change {
  /** The verdict: `breaking`, or `unknown` if a person must decide. */
  readonly verdict: "breaking" | "unknown";
  /** The kind of change, such as `request-narrowed`. */
  readonly rule: keyof typeof RULES;
  /** The method and the path: `GET /api/books/{bookId}`; or `all operations`. */
  readonly operation: string;
  /** The part of the operation, such as `body#/title`; empty for the whole operation. */
  readonly place: string;
  /** The difference. */
  readonly message: string;
  /** How to keep the clients working. */
  readonly remedy: string;
  /** The clients that break. */
  readonly clients: Clients;
  /**
   * A value that shows the change. In a request, the old document accepts the value, and
   * the new document refuses it. In a response, it is the other way round.
   */
  readonly value?: unknown;
  /** The request that shows the change. */
  readonly request?: ShownRequest;
}

/** The kinds of changes, with the remedy of each. */
export const RULES = {
  "operation-removed":
    'keep the operation, and declare "deprecated" with a "sunset" date; remove it after this date',
  "operation-hidden": "add the method to the new route, or choose another path",
  "operation-renamed": "declare the old operationId",
  "sunset-moved": "keep the date, or choose a later date",
  "server-changed": "make sure that the old URLs keep working",
  "parameter-renamed": "keep the name of the folder",
  "part-removed": "keep the part, or add a new operation",
  "request-narrowed": "accept the old values, or add a new operation",
  "request-ignored": "keep the member, or refuse it with a clear error",
  "default-changed": "keep the default, or add a new operation",
  "response-widened": "send only old values, or add a new operation",
  "status-added": "respond with a status that clients know",
  "security-tightened": "accept the old credentials until all clients change",
  "scheme-changed": "make sure that the old credentials keep working",
  "refinement": "compare the schemas by hand",
} as const;

/** A change; by default, it breaks all clients. */
export type Found =
  & Pick<Change, "rule" | "place" | "message">
  & Partial<Change>;

/** The rule of a difference. */
export function ruleOf(keyword: string, direction: Direction): Change["rule"] {
  if (keyword === "default") return "default-changed";
  if (keyword === "properties") return "request-ignored";
  return direction === "request" ? "request-narrowed" : "response-widened";
}

/** A difference, and what its message may name. */
interface Described extends Narrowing {
  /** The name of the member. */
  readonly name: string | undefined;
  readonly isRequest: boolean;
  readonly digest: () => string;
}

/** The messages of some keywords; `undefined` if the message names both values. */
const MESSAGES: Readonly<
  Record<string, (difference: Described) => string | undefined>
> = {
  [REST]: ({ digest }) =>
    `the schemas are too large to compare in full (${digest()})`,
  allOf: ({ kind, digest }) =>
    kind === "unknown"
      ? undefined
      : `a combination of keywords changed (${digest()})`,
  properties: ({ name }) => `"${name}" is ignored`,
  required: ({ name, isRequest }) =>
    isRequest ? `"${name}" became required` : `"${name}" may be missing`,
  type: ({ name, narrow, isRequest }) =>
    !isRequest || String(narrow) !== ""
      ? undefined
      : name === "*"
      ? "undeclared members or items are refused"
      : `"${name}" is refused`,
  enum: ({ wide, narrow, isRequest }) => {
    if (!Array.isArray(wide) || !Array.isArray(narrow)) return undefined;
    const values = wide.map(canonicalData).join(", ");
    return isRequest
      ? `${values} is no longer accepted`
      : `the new value ${values} may be sent`;
  },
};

/**
 * Describes a difference. The message identifies the difference, since the file of
 * accepted changes contains no more.
 *
 * @param digest Identifies both schemas, with their components.
 */
export function messageOf(
  difference: Narrowing,
  direction: Direction,
  digest: () => string,
): string {
  const { keyword, wide, narrow, kind, pointer } = difference;
  const isRequest = direction === "request";
  const [old, now] = isRequest ? [wide, narrow] : [narrow, wide];
  const name = pointer.split("/").at(-1);
  const described = { ...difference, name, isRequest, digest };
  const message = MESSAGES[keyword]?.(described);
  if (message !== undefined) return message;
  if (kind === "unknown") {
    const text = [old, now].map((each) => textOf(each, canonical(each)))
      .join(" became ");
    const more = text.includes('"$ref"') ? ` (${digest()})` : "";
    return `the keyword "${keyword}" is not compared: ${text}${more}`;
  }
  if (old === undefined) return `"${keyword}" became ${textOf(now)}`;
  const became = now === undefined ? "was removed" : `became ${textOf(now)}`;
  return `"${keyword}" ${textOf(old)} ${became}`;
}

/** The maximum length of a value in a message. */
const MAX_TEXT = 200;

/** The JSON of a value; if the JSON is too long, its beginning and its digest. */
export function textOf(value: unknown, text = canonicalData(value)): string {
  if (value === undefined) return "nothing";
  return text.length <= MAX_TEXT
    ? text
    : `${shorten(text, MAX_TEXT)} (${digestOf(text)})`;
}
