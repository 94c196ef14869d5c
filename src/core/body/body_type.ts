import { isJson, isText, mediaType } from "../common/media_type.ts";
import { type BodyKind, type BodyType, recordOf } from "../record/record.ts";
import { isForm, parametersOf } from "./form.ts";
import { headerOf } from "./read.ts";

const JSON_TYPE = "application/json";

/** Nearly all bodies have this header; parsing it would cost time. */
const PLAIN_JSON: BodyType = {
  header: JSON_TYPE,
  media: JSON_TYPE,
  kind: "json",
  charset: undefined,
};

/** Returns the type of a body, which every reader of the request shares. */
export function bodyType(request: Request): BodyType {
  const body = recordOf(request)?.body;
  if (body === undefined) return readType(request);
  return body.type ??= readType(request);
}

function readType(request: Request): BodyType {
  const header = headerOf(request, "content-type") ?? "";
  if (header === JSON_TYPE) return PLAIN_JSON;
  const media = mediaType(header);
  const kind = kindOfType(media);
  // The parts of a form with files have charsets of their own.
  const isText = kind !== undefined && media !== "" &&
    media !== "multipart/form-data";
  const charset = isText ? charsetOf(header) : undefined;
  return { header, media, kind, charset };
}

/**
 * How to read bodies of a media type, which has no parameters; `undefined` for types
 * that no schema can check.
 */
export function kindOfType(media: string): BodyKind | undefined {
  if (isForm(media)) return "form";
  if (media === "" || isJson(media)) return "json";
  return isText(media) ? "text" : undefined;
}

/** The charset of a type; `undefined` if UTF-8 contains it, or if it is unknown. */
function charsetOf(header: string): string | undefined {
  const label = parametersOf(header).get("charset") ?? "utf-8";
  // `TextDecoder` takes ASCII for windows-1252.
  if (/^(?:utf-?8|(?:us-)?ascii)$/i.test(label)) return undefined;
  try {
    return new TextDecoder(label).encoding === "utf-8" ? undefined : label;
  } catch {
    return undefined;
  }
}
