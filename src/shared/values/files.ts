import { OCTET_STREAM } from "../../core/common/media_type.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import { fileOf, typeInRange } from "../wire.ts";
import type { LeafValues } from "./formats.ts";

/** The largest file to create, in bytes. */
const MAX_FILE = 16 * 1024 * 1024;

/** The size of the largest file without a limit: more than a typical buffer. */
export const LARGE_FILE: number = 64 * 1024 + 1;

/** The files by size, type and name, since large files take long to create. */
const files = new Map<string, File>();

/** A media type of each usual range. */
const IN_RANGE: Readonly<Record<string, string>> = {
  "application/*": OCTET_STREAM,
  "audio/*": "audio/mpeg",
  "image/*": "image/png",
  "text/*": "text/plain",
  "video/*": "video/mp4",
};

/** The files of a schema; JSON has none, so the best value is missing. */
export function fileValues(schema: JsonSchema): LeafValues {
  const { minLength = 0, maxLength = LARGE_FILE, contentMediaType } = schema;
  const range = String(contentMediaType ?? "text/plain");
  const type = IN_RANGE[range] ?? typeInRange(range);
  const [least, most] = [Number(minLength), Number(maxLength)];
  const some = Math.min(Math.max(least, 1), most);
  const file = (wanted: number, name?: string) => {
    const size = Math.min(Math.max(wanted, 0), MAX_FILE);
    const create = () => fileOf("x".repeat(size), type, name);
    return files.getOrInsertComputed(`${size} ${type} ${name}`, create);
  };
  return {
    plain(draw) {
      const letter = draw.from([..."abcdefghijklmnopqrstuvwxyz"]);
      const size = Math.min(some + draw.pick(10), Math.max(most, least));
      return draw.isBest ? undefined : fileOf(letter.repeat(size), type);
    },
    get edges() {
      return [
        ...new Set([most, least, most - 1].map((size) => file(size))),
        ...['a"b.txt', "ü🙂.txt", "a/../b.txt"].map((name) => file(some, name)),
      ];
    },
    get beyond() {
      return [
        ...[most + 1, least - 1, 0].map((size) => file(size)),
        fileOf("x".repeat(some), "application/x-other"),
      ];
    },
  };
}
