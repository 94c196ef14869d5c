import { log, type RequestPlace } from "../common/log.ts";
import type { Application } from "../record/record.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import { compilePlace, OPEN, type Place, shapeOf } from "./declared_places.ts";
import { pointerOf } from "./run_schema.ts";

/** A method that sends values with schemas. */
interface Sender {
  /** The method and its route, for the log. */
  readonly place: RequestPlace | string;
  readonly application: Pick<
    Application,
    "sendUndeclared" | "validateResponses"
  >;
  /** Whether the log names a member that the method has passed. */
  hasLogged: boolean;
}

/** The methods by their schemas. */
const senders = new WeakMap<object, Sender>();

/** Notes the method of schemas, since `respond()` gets only the schemas. */
export function noteSender(
  schema: object,
  { place, application }: Pick<Sender, "place" | "application">,
): void {
  if (senders.get(schema)?.application === application) return;
  senders.set(schema, { place, application, hasLogged: false });
}

/** The schemas of a method, and what it sends, such as `event "done"`. */
interface Sending {
  readonly schema: object;
  readonly what: string;
}

/**
 * Leaves out the members that the schema of a value does not declare, unless
 * `sendUndeclared` is on. Logs the first such member of a method, unless
 * `validateResponses` reports it.
 */
export function sendable(
  part: StandardSchemaV1,
  value: unknown,
  sending: Sending,
): Declared {
  const declared = declaredMembers(part, value);
  if (!declared.isLess) return declared;
  const { application } = senderOf(sending);
  if (application.sendUndeclared) return { value, isLess: false };
  if (application.validateResponses === false) {
    logOnce(sending, value, declared.value);
  }
  return declared;
}

/** The JSON to send for a value, like {@linkcode sendable}. */
export function sendableJson(
  part: StandardSchemaV1,
  { value, json }: { readonly value: unknown; readonly json: string },
  sending: Sending,
): string {
  const declared = sendable(part, value, sending);
  return declared.isLess ? JSON.stringify(declared.value) : json;
}

/** The values that responses lack, for {@linkcode wholeOf}. */
const wholes = new WeakMap<Response, Whole>();

/** The value of a response, before members were left out. */
interface Whole {
  readonly json: string;
  /** Logs the members that were left out. */
  readonly report: () => void;
}

/** Keeps the value of a response for the check of `validateResponses`. */
export function keepWhole(
  response: Response,
  { value, sent, ...sending }: Sending & {
    readonly value: unknown;
    readonly sent: unknown;
  },
): void {
  if (senderOf(sending).application.validateResponses === false) return;
  wholes.set(response, {
    json: JSON.stringify(value),
    report: () => logOnce(sending, value, sent),
  });
}

/** The value that a handler passed to `respond()`, if it was sent with fewer members. */
export function wholeOf(response: Response): Whole | undefined {
  return wholes.get(response);
}

function senderOf({ schema }: Sending): Sender {
  const sender = senders.get(schema);
  if (sender !== undefined) return sender;
  const place = "outside of a route";
  const application = { sendUndeclared: false, validateResponses: false };
  noteSender(schema, { place, application });
  return senders.get(schema)!;
}

function logOnce(sending: Sending, value: unknown, sent: unknown): void {
  const sender = senderOf(sending);
  if (sender.hasLogged) return;
  sender.hasLogged = true;
  const clone = (each: unknown) => JSON.parse(JSON.stringify(each));
  const pointer = pointerOf({
    message: "",
    path: firstLeftOut(clone(value), clone(sent)) ?? [],
  });
  log({
    level: "warning",
    place: sender.place,
    message:
      `${sending.what} is sent without "${pointer}", which its schema does not declare; declare the member, or do not pass it (this method logs only the first such member)`,
  });
}

/** The path of the first member that a copy lacks; `undefined` if it lacks none. */
function firstLeftOut(value: unknown, copy: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    if (!Object.hasOwn(Object(copy), key)) return [key];
    const path = firstLeftOut(each, (copy as Record<string, unknown>)[key]);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** A value to send, without the members that its schema does not declare. */
export interface Declared {
  /** The value itself, unless a member was left out or `toJSON` was called. */
  readonly value: unknown;
  /** Whether a member was left out. */
  readonly isLess: boolean;
}

/** The compiled schemas. */
const known = new WeakMap<StandardSchemaV1, Place>();

/**
 * Leaves out the members of a value that its schema does not declare. A schema without
 * a JSON Schema declares all members; so does `Problem`, which allows any extension.
 *
 * @throws {TypeError} If the value contains itself.
 */
export function declaredMembers(
  schema: StandardSchemaV1,
  value: unknown,
): Declared {
  let place = known.get(schema);
  if (place === undefined) known.set(schema, place = compilePlace(schema));
  if (typeof value !== "object" || value === null || place === OPEN) {
    return { value, isLess: false };
  }
  isLess = false;
  try {
    return { value: pick(value, place, ""), isLess };
  } catch (error) {
    // Throws a better error for a value that contains itself.
    if (error instanceof RangeError) JSON.stringify(value);
    throw error;
  }
}

/** Whether the current call of {@linkcode declaredMembers} has left out a member. */
let isLess = false;

/** Returns the object itself, or a copy if it changes. */
function pick(value: object, place: Place, key: string | number): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") {
    if (value instanceof Date) return value;
    const json: unknown = toJSON.call(value, String(key));
    if (typeof json !== "object" || json === null) return value;
    // JSON.stringify must not call a `toJSON` of the result.
    return picked("toJSON" in json ? { ...json } : json, place);
  }
  return picked(value, place);
}

function picked(value: object, place: Place): object {
  const shape = place.parts === undefined ? place : shapeOf(place, value);
  if (shape === OPEN) return value;
  if (Array.isArray(value)) return pickedItems(value, shape);
  const { names, others } = shape;
  let copy: Record<string, unknown> | undefined;
  for (const key in value) {
    const given = (value as Record<string, unknown>)[key];
    const inner = names.get(key) ?? others;
    if (inner === undefined) {
      if (!Object.hasOwn(value, key) || !isSent(given)) continue;
      if (value instanceof String || isRawJson(value)) return value;
      isLess = true;
      copy ??= membersBefore(value, key);
      continue;
    }
    let sent = given;
    if (typeof given === "object" && given !== null && inner !== OPEN) {
      sent = pick(given, inner, key);
      if (sent !== given) copy ??= membersBefore(value, key);
    }
    if (copy !== undefined && Object.hasOwn(value, key)) set(copy, key, sent);
  }
  return copy ?? value;
}

function pickedItems(value: readonly unknown[], shape: Place): object {
  const { first, items } = shape;
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    if (typeof item !== "object" || item === null) continue;
    const inner = index < first.length ? first[index]! : items;
    if (inner === OPEN) continue;
    const sent = pick(item, inner, index);
    if (sent !== item) (copy ??= [...value])[index] = sent;
  }
  return copy ?? value;
}

/** Whether a value was created by `JSON.rawJSON`, for a large number. */
function isRawJson(value: object): boolean {
  const { isRawJSON } = JSON as { isRawJSON?: (value: object) => boolean };
  return isRawJSON?.(value) ?? false;
}

/** Whether JSON represents a member with this value. */
function isSent(value: unknown): boolean {
  if (typeof value === "function") return "toJSON" in value;
  return value !== undefined && typeof value !== "symbol";
}

/** Copies the members before a key, none of which changes. */
function membersBefore(value: object, end: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === end) break;
    set(copy, key, (value as Record<string, unknown>)[key]);
  }
  return copy;
}

function set(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") copy[key] = value;
  // An assignment would set the prototype.
  else Object.defineProperty(copy, key, { value, enumerable: true });
}
