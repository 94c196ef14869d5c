import { fromFileUrl, toFileUrl } from "@std/path";
import { type Frame, framesOf, inspectSafely } from "../../core/common/log.ts";
import { shorten } from "../../core/common/values.ts";
import { isGranted } from "../../core/start/permissions.ts";
import { isOfApplication, summaryOf } from "../../shared/process_watch.ts";
import type { EntryError, EntryFrame } from "./entry.ts";

const MAX_CAUSES = 5;
const MAX_FRAMES = 50;

/** The lines of source before and after the line of a frame. */
const AROUND = 3;

/** The longest file whose source is shown, in bytes. */
const MAX_FILE = 1024 * 1024;

/** Matches the path of a module: the source map of a library may name any file. */
const MODULE = /\.[cm]?[jt]sx?$/;

/** Describes a thrown value, with the frames of its stack. */
export function entryError(thrown: unknown, causes = MAX_CAUSES): EntryError {
  try {
    if (thrown instanceof Error) return describe(thrown, causes);
  } catch {
    // A member is a getter that throws.
  }
  return { text: inspectSafely(thrown), frames: [] };
}

function describe(error: Error, causes: number): EntryError {
  const { cause } = error;
  const text = summaryOf(error);
  // The message cites a part of the text, which may be a part of a secret.
  const agents = error instanceof SyntaxError ? error.name : text;
  const frames = framesOf(error).slice(0, MAX_FRAMES).map(entryFrame);
  return cause === undefined || causes === 0
    ? { text, agents, frames }
    : { text, agents, frames, cause: entryError(cause, causes - 1) };
}

/** Describes a frame, such as `async GET (api/route.ts:12:9)`. */
function entryFrame(frame: Frame): EntryFrame {
  const { fileName, lineNumber, columnNumber, functionName } = frame;
  const kind = frame.isAsync ? "async " : frame.isConstructor ? "new " : "";
  const url = fileName ?? "<anonymous>";
  const place = [url, lineNumber, columnNumber].filter((it) => it !== null)
    .join(":").replace(`${toFileUrl(Deno.cwd()).href}/`, "");
  const text = functionName ? `${kind}${functionName} (${place})` : place;
  return url.startsWith("file:///") && isOfApplication(url)
    ? { text, file: fromFileUrl(url), line: lineNumber!, column: columnNumber! }
    : { text };
}

/**
 * Adds lines of source to the frames of an error. V8 recorded these frames, so their files
 * are modules that the program imported. Skips a module that changed after the error,
 * since its lines may have moved. Call this only to show an error: a load test may fail
 * thousands of requests.
 *
 * @param time The time of the error, in milliseconds since 1970.
 */
export function withSource(error: EntryError, time: number): EntryError {
  const frames = error.frames.map((frame) => {
    const source = sourceOf(frame, time);
    return source === undefined ? frame : { ...frame, source };
  });
  return error.cause === undefined
    ? { ...error, frames }
    : { ...error, frames, cause: withSource(error.cause, time) };
}

function sourceOf(
  { file, line = 1 }: EntryFrame,
  time: number,
): EntryFrame["source"] {
  if (file === undefined || !MODULE.test(file)) return undefined;
  try {
    if (!isGranted({ kind: "read", value: file })) return undefined;
    const { isFile, mtime, size } = Deno.statSync(file);
    // Reading a pipe could block the process for good.
    const isReadable = isFile && size <= MAX_FILE && Number(mtime) <= time;
    if (!isReadable) return undefined;
    const lines = Deno.readTextFileSync(file).split("\n");
    const first = Math.max(line - AROUND, 1);
    return lines.slice(first - 1, line + AROUND)
      .map((text, index) => ({
        line: first + index,
        text: shorten(text, 500),
      }));
  } catch {
    // The file was removed, or belongs to another machine.
    return undefined;
  }
}
