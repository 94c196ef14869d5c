import { log, type RequestPlace } from "../common/log.ts";
import { isObject, isPlain } from "../common/values.ts";
import type { Application } from "../record/record.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import { compilePlace, OPEN, type Place, shapeOf } from "./declared_places.ts";
import { pointerOf } from "./run_schema.ts";

type Rules = Pick<Application, "sendUndeclared" | "validateResponses">;

/** A method that sends values with schemas. */
interface Sender {
  /** The method and its route, for the log. */
  readonly place: RequestPlace | string;
  readonly application: Rules;
  /** Whether all applications with these schemas send undeclared members. */
  readonly sendUndeclared: boolean;
  /** Whether the log names a member that the method has passed. */
  hasLogged: boolean;
}

/** The methods by their schemas. */
const senders = new WeakMap<object, Sender>();

/**
 * Notes the method of schemas, since `respond()` gets only the schemas. Several
 * applications may share them: members are left out unless all send them.
 */
export function noteSender(
  schema: object,
  { place, application }: Pick<Sender, "place" | "application">,
): void {
  const known = senders.get(schema);
  if (known?.application === application) return;
  const sendUndeclared = application.sendUndeclared &&
    known?.sendUndeclared !== false;
  senders.set(schema, { place, application, sendUndeclared, hasLogged: false });
}

/** A value of a method that has undeclared members. */
export interface Sending {
  /** The schemas of the method. */
  readonly schema: object;
  /** The part that is sent, for the log, such as `event "done"`. */
  readonly what: string;
  readonly value: unknown;
  /** The value without the members. */
  readonly less: unknown;
}

/**
 * Returns the value to send: with `sendUndeclared`, the whole value. Logs the first
 * member that a method leaves out, unless `validateResponses` reports it.
 */
export function valueToSend(sending: Sending): unknown {
  const { sendUndeclared, application } = senderOf(sending);
  if (sendUndeclared) return sending.value;
  if (application.validateResponses === false) logOnce(sending);
  return sending.less;
}

/** The JSON to send for a value, which lacks undeclared members. */
export function jsonToSend(
  part: StandardSchemaV1,
  { json, ...sending }: Omit<Sending, "less"> & { readonly json: string },
): string {
  const { value: less, isLess } = declaredMembers(part, sending.value);
  return isLess ? JSON.stringify(valueToSend({ ...sending, less })) : json;
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
export function keepWhole(response: Response, sending: Sending): void {
  const { sendUndeclared, application } = senderOf(sending);
  if (sendUndeclared || application.validateResponses === false) return;
  let json;
  try {
    json = JSON.stringify(sending.value);
  } catch (error) {
    if (application.validateResponses !== "warn") throw error;
    // The members without JSON are not sent.
    json = JSON.stringify(sending.less);
  }
  wholes.set(response, { json, report: () => logOnce(sending) });
}

/** The value that a handler passed to `respond()`, if it was sent with fewer members. */
export function wholeOf(response: Response): Whole | undefined {
  return wholes.get(response);
}

function senderOf({ schema }: Pick<Sending, "schema">): Sender {
  if (!senders.has(schema)) noteSender(schema, OUTSIDE);
  return senders.get(schema)!;
}

/** The sender of schemas that no route has. */
const OUTSIDE = {
  place: "outside of a route",
  application: { sendUndeclared: false, validateResponses: false },
} as const;

function logOnce(sending: Sending): void {
  const sender = senderOf(sending);
  if (sender.hasLogged) return;
  sender.hasLogged = true;
  const { what, value, less } = sending;
  const [{ path = [] } = {}] = leftOut(value, less);
  const pointer = pointerOf({ message: "", path });
  log({
    level: "notice",
    place: sender.place,
    message:
      `${what} is sent without "${pointer}", which its schema does not declare; declare the member, or do not pass it (this method logs only the first such member)`,
  });
}

/** A member of an object. */
export interface Member {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly PropertyKey[];
}

/** The members of a value that a copy lacks; such a member may have no JSON. */
export function* leftOut(
  value: unknown,
  copy: unknown,
  path: readonly PropertyKey[] = [],
): Generator<Member, void> {
  if (value === copy || typeof value !== "object" || value === null) return;
  const { toJSON } = value as { readonly toJSON?: unknown };
  const sent: unknown = typeof toJSON === "function"
    ? toJSON.call(value, String(path.at(-1) ?? ""))
    : value;
  if (Array.isArray(sent) && Array.isArray(copy)) {
    for (const [index, each] of sent.entries()) {
      yield* leftOut(each, copy[index], [...path, index]);
    }
  } else if (isObject(sent) && isPlain(copy)) {
    for (const [key, each] of Object.entries(sent)) {
      const place = [...path, key];
      const left = Object.hasOwn(copy, key) ? copy[key] : undefined;
      if (left !== undefined) yield* leftOut(each, left, place);
      else if (isSent(each)) yield { holder: sent, key, path: place };
    }
  }
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
  if (place === undefined) {
    place = compilePlace(schema, { isCheck: false }) ?? OPEN;
    known.set(schema, place);
  }
  return declaredAt(place, value);
}

/** Like {@linkcode declaredMembers}, for a compiled schema. */
export function declaredAt(place: Place, value: unknown): Declared {
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
    return picked(withoutToJson(json), place);
  }
  return picked(value, place);
}

function picked(value: object, place: Place): object {
  const shape = place.parts === undefined ? place : shapeOf(place, value);
  if (shape === OPEN) return value;
  if (Array.isArray(value)) return pickedItems(value, shape);
  let copy: Record<string, unknown> | undefined;
  const { order, ordered, names } = shape;
  let index = 0;
  for (const key in value) {
    const given = (value as Record<string, unknown>)[key];
    let inner: Place | undefined;
    if (order[index] === key) inner = ordered[index++];
    else {
      inner = shape.member(key);
      if (inner !== undefined && index < names.size) {
        order[index] = key;
        ordered[index++] = inner;
      }
    }
    if (inner === undefined) {
      if (!Object.hasOwn(value, key) || !isSent(given)) continue;
      if (value instanceof String || isRawJson(value)) return value;
      isLess = true;
      // JSON.stringify leaves out such a member; a deletion would make it slow.
      (copy ??= { ...value })[key] = undefined;
    } else if (typeof given === "object" && given !== null && inner !== OPEN) {
      const sent = pick(given, inner, key);
      if (sent === given || !Object.hasOwn(value, key)) continue;
      (copy ??= { ...value })[key] = sent;
    }
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

/** Copies the result of a `toJSON` if JSON would call another `toJSON` of the result. */
function withoutToJson(json: object): object {
  if (!("toJSON" in json) || typeof json.toJSON !== "function") return json;
  return Array.isArray(json) ? [...json] : { ...json, toJSON: undefined };
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
