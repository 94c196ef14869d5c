import { fromFileUrl, toFileUrl } from "@std/path";
import { inspectSafely } from "../../core/common/log.ts";
import { isGranted } from "../../core/exports/permissions.ts";
import { isOfApplication } from "../../shared/process_watch.ts";
import { cutText } from "./body_copy.ts";
import type { EntryError, EntryFrame } from "./entry.ts";

const MAX_CAUSES = 5;
const MAX_FRAMES = 50;

/** The lines of source before and after the line of a frame. */
const AROUND = 3;

/** The longest file whose source is shown, in bytes. */
const MAX_FILE = 1024 * 1024;

/** Matches the location of a frame, from its scheme: `file:///app/api/route.ts:12:9`. */
const LOCATION = /^(file:\/\/\/.*):(\d+):(\d+)\)?$/;

/** Describes a thrown value, with the frames of its stack. */
export function entryError(thrown: unknown, causes = MAX_CAUSES): EntryError {
  try {
    if (thrown instanceof Error) return describe(thrown, causes);
  } catch {
    // A member is a getter that throws.
  }
  return { text: cutText(inspectSafely(thrown)), frames: [] };
}

function describe(error: Error, causes: number): EntryError {
  const { stack, cause } = error;
  // Node reports a closed port as an `AggregateError` without a message.
  const errors = error instanceof AggregateError
    ? error.errors.slice(0, MAX_CAUSES)
    : [];
  const lines = errors.map((each) => `\n- ${summaryOf(each)}`);
  const text = cutText(summaryOf(error) + lines.join(""));
  const frames = `${stack}`.split("\n").filter((line) => /^ +at /.test(line))
    .slice(0, MAX_FRAMES).map(parseFrame);
  return cause === undefined || causes === 0
    ? { text, frames }
    : { text, frames, cause: entryError(cause, causes - 1) };
}

/** The name and the message: `TypeError: x is not a function`. */
function summaryOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return inspectSafely(thrown);
  const { name, message } = thrown;
  return message === "" ? `${name}` : `${name}: ${message}`;
}

/** Parses a line of a stack, such as `at GET (file:///app/api/route.ts:12:9)`. */
function parseFrame(line: string): EntryFrame {
  const full = line.trim().slice("at ".length);
  const text = cutText(full.replace(`${toFileUrl(Deno.cwd()).href}/`, ""));
  // A message may imitate a frame; trying each scheme in it could take minutes.
  const start = Math.max(full.lastIndexOf("file:///"), 0);
  const [, url, row, column] = LOCATION.exec(full.slice(start)) ?? [];
  return url === undefined || !isOfApplication(url)
    ? { text }
    : { text, file: fromFileUrl(url), line: +row!, column: +column! };
}

/**
 * Adds lines of source to the frames of an error, from files that the program may read.
 * Skips a file that changed after the error, since its lines may have moved. Call this
 * only to show an error: a load test may fail thousands of requests.
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
  if (file === undefined) return undefined;
  try {
    if (!isGranted({ kind: "read", value: file })) return undefined;
    const { mtime, size } = Deno.statSync(file);
    if (size > MAX_FILE || Number(mtime) > time) return undefined;
    const lines = Deno.readTextFileSync(file).split("\n");
    const first = Math.max(line - AROUND, 1);
    return lines.slice(first - 1, line + AROUND)
      .map((text, index) => ({ line: first + index, text: cutText(text) }));
  } catch {
    // The file was removed, or belongs to another machine.
    return undefined;
  }
}
