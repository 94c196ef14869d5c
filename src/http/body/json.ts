import {
  ACCESS,
  type BodyState,
  bytesOf,
  type LimitedRequest,
  read,
  STATE,
} from "./body_state.ts";
import { noteReadFailure } from "./client_fault.ts";
import { parseBytes, parseText, takeBody } from "./read.ts";

/** Whether a body that was read as JSON is empty, which is no JSON. */
export function isEmptyBody(request: Request): boolean {
  return (request as LimitedRequest)[STATE]?.isEmpty === true;
}

/**
 * Takes the text of a JSON body at once, to be parsed by `parseTaken`.
 *
 * @returns The text; `undefined` if the body is still arriving, was read before, or
 * if its bytes are to be kept.
 * @throws {HttpError} 413 or 403.
 */
export function takeJsonText(request: Request): string | undefined {
  const { [STATE]: state, [ACCESS]: { rules, framed } } =
    request as LimitedRequest;
  return state !== undefined || typeof rules === "function" || rules.raw
    ? undefined
    : takeBody(request, { rules, framed });
}

/**
 * Parses the text of a body, and keeps the outcome for `request.json()`.
 *
 * @throws {SyntaxError} If the text is not valid JSON.
 */
export function parseTaken(request: Request, text: string): unknown {
  const state: BodyState = (request as LimitedRequest)[STATE] = {};
  try {
    const value = parseText(text);
    state.json = Promise.resolve(value);
    return value;
  } catch (error) {
    noteReadFailure(error);
    if (text === "") noteEmpty(state);
    state.json = Promise.reject(error);
    state.json.catch(() => {
      // Nobody may ever ask for it.
    });
    throw error;
  }
}

/** Reads a body as JSON; every call returns the same promise. */
export function readJson(request: Request): Promise<unknown> {
  const state = (request as LimitedRequest)[STATE];
  if (state?.json !== undefined) return state.json;
  try {
    const text = takeJsonText(request);
    if (text === undefined) return awaitJson(request as LimitedRequest);
    parseTaken(request, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) return Promise.reject(error);
  }
  return (request as LimitedRequest)[STATE]!.json!;
}

function awaitJson(request: LimitedRequest): Promise<unknown> {
  const state = request[STATE] ??= {};
  const { bytes: before } = state;
  const { rules } = request[ACCESS];
  const keepsBytes = typeof rules === "function" || rules.raw;
  const reading = before !== undefined || keepsBytes
    ? bytesOf(request)
    : read(request);
  state.json = reading.then((bytes) => {
    if (bytes.length === 0) noteEmpty(state);
    return parseBytes(bytes);
  }, (error) => {
    // Nothing was read as JSON: the other readers reject with the same 413, say.
    state.bytes = reading;
    throw error;
  });
  if (reading !== before && typeof rules === "function") {
    // The bytes were kept only in case that the route asks for them.
    rules().then(({ raw }) => {
      if (!raw) delete state.bytes;
    });
  }
  // Beside what the caller gets, which rejects with the same error.
  state.json.then(undefined, noteReadFailure);
  return state.json;
}

/** The other readers have all there is of an empty body. */
function noteEmpty(state: BodyState): void {
  state.isEmpty = true;
  state.bytes ??= Promise.resolve(new Uint8Array());
}
