const NAME = "[!#$%&'+.^_`|~\\w-]+";

/**
 * Matches a media type (RFC 9110, section 8.3.1), or a range: `image/*`, `*\/*`, or the
 * types of a syntax, such as `application/*+json` (RFC 6839). Parameters are ASCII, since
 * a header cannot contain every other character.
 */
export const MEDIA_TYPE = new RegExp(
  `^(?:${NAME}/${NAME}|(?:${NAME}|\\*)/\\*(?:\\+${NAME})?)(?:[\\t ]*;[\\t -~]*)?$`,
);

/** The media type of bytes without a type (RFC 9110, 8.3). */
export const OCTET_STREAM = "application/octet-stream";

/** The header `Content-Type` of a body. */
export interface ContentType {
  /** The header as sent, with the boundary of a form; `""` if it is missing. */
  readonly header: string;
  /** The media type in lowercase; `""` if the header is missing. */
  readonly media: string;
  /** The charset, if it is a known one other than UTF-8. */
  readonly charset: string | undefined;
}

const JSON_TYPE = "application/json";

/** Nearly all bodies have this header; parsing it would cost time. */
const PLAIN_JSON: ContentType = {
  header: JSON_TYPE,
  media: JSON_TYPE,
  charset: undefined,
};

/** Parses the header `Content-Type` of a body; `""` if it is missing. */
export function contentType(header: string): ContentType {
  if (header === JSON_TYPE) return PLAIN_JSON;
  const media = mediaType(header);
  const label = parametersOf(header).get("charset") ?? "utf-8";
  // The parts of a form with files have charsets of their own.
  const isOther = media !== "" && media !== MULTIPART &&
    isOtherCharset(label);
  return { header, media, charset: isOther ? label : undefined };
}

/** Whether a charset is known, and its texts are not always UTF-8. */
function isOtherCharset(label: string): boolean {
  // `TextDecoder` takes US-ASCII for windows-1252.
  if (/^(?:utf-8|(?:us-)?ascii)$/i.test(label)) return false;
  try {
    return new TextDecoder(label).encoding !== "utf-8";
  } catch {
    return false;
  }
}

/**
 * Returns the media type of a `Content-Type`, in lowercase and without parameters:
 * `text/csv` for `text/csv; charset=utf-8`. Returns `""` if there is no header.
 */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** The parameters of a header: `{ name: "a" }` for `form-data; name="a"`. */
export function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name, quoted, token = ""] of header.matchAll(PARAMETER)) {
    const key = name!.toLowerCase();
    const value = quoted?.replaceAll('\\"', '"') ?? token.trim();
    if (!parameters.has(key)) parameters.set(key, value);
  }
  return parameters;
}

/**
 * Matches a parameter, in linear time. Browsers write a backslash as it is, as in
 * `"C:\a.txt"` and `"a\"`, so a backslash escapes only a quote that does not end the value.
 */
const PARAMETER =
  /;\s*([^=;\s]+)=(?:"([^"]*(?:(?<=\\)"(?!\s*(?:;|$))[^"]*)*)"|([^;]*))/g;

/** A media type, or a range of `Accept` (RFC 9110, 12.5.1), in lowercase. */
interface MediaRange {
  readonly type: string;
  /** The parameters before the weight, sorted, without quotes and `charset=utf-8`. */
  readonly parameters: readonly string[];
  /** The weight, 0 to 1. */
  readonly quality: number;
  /** The number of parts that a type must equal: 0 for a range that fits any type. */
  readonly specificity: number;
}

/** Match the parts of a header between separators outside of quotes, in linear time. */
const PARTS = {
  ",": /(?:"(?:\\.|[^"\\])*"?|[^",])+/g,
  ";": /(?:"(?:\\.|[^"\\])*"?|[^";])+/g,
};

function split(text: string, separator: keyof typeof PARTS): string[] {
  return (text.match(PARTS[separator]) ?? []).map((part) => part.trim());
}

/** Parses a media type or a range; returns `undefined` if it is malformed. */
function parseRange(text: string): MediaRange | undefined {
  const [name, ...all] = split(text.toLowerCase(), ";");
  // Clients of old versions of Java send `*`.
  const type = name === "*" ? "*/*" : name ?? "";
  const index = all.findIndex((each) => each.startsWith("q="));
  const quality = index < 0 ? 1 : Number(all[index]!.slice(2) || NaN);
  // In `Accept`, a "*" may be a part of any name, such as `*/csv`, which fits no type.
  const isValid = MEDIA_TYPE.test(type.replaceAll("*", "x"));
  if (!isValid || !(quality >= 0 && quality <= 1)) return;
  const parameters = all.slice(0, index < 0 ? all.length : index)
    .map((each) => each.replaceAll('"', ""))
    .filter((each) => each !== "" && each !== "charset=utf-8").sort();
  const specificity = specificityOf(type) + parameters.length;
  return { type, parameters, quality, specificity };
}

/**
 * Returns a media type in lowercase, with sorted parameters, without `charset=utf-8`,
 * which is the default. Returns `""` if the type is malformed.
 */
export function normalType(contentType: string | null): string {
  const range = parseRange(contentType ?? "");
  return range ? [range.type, ...range.parameters].join(";") : "";
}

/**
 * Returns the type that fits an `Accept` best (RFC 9110, 12.5.1): by weight, then by
 * specificity of the range that matches, then by order. Returns `undefined` if no type
 * is acceptable.
 */
export function preferredType<Type extends string>(
  accept: string,
  types: readonly Type[],
): Type | undefined {
  const ranges = split(accept, ",").map(parseRange)
    .filter((range) => range !== undefined);
  if (ranges.length === 0) return types[0];
  ranges.sort((a, b) => b.specificity - a.specificity);
  const accepted = types.map((each) => {
    const { type = "", parameters = [] } = parseRange(each) ?? {};
    const match = ranges.find((range) =>
      isInRange(type, range.type) &&
      range.parameters.every((parameter) => parameters.includes(parameter))
    );
    return { each, quality: 0, specificity: 0, ...match };
  }).filter(({ quality }) => quality > 0);
  accepted.sort((a, b) =>
    b.quality - a.quality || b.specificity - a.specificity
  );
  return accepted[0]?.each;
}

/**
 * Whether a media type or a range is JSON: `application/json`, or a name that ends in
 * `+json`.
 */
export function isJson(type: string): boolean {
  return type === JSON_TYPE || JSON_SUFFIX.test(type);
}

const JSON_SUFFIX = new RegExp(`^(?:${NAME}|\\*)/(?:${NAME}|\\*)\\+json$`);

/** Whether a media type is finite text, unlike an event stream, which may never end. */
export function isText(type: string): boolean {
  return TEXT.test(type) && type !== "text/event-stream";
}

const TEXT = new RegExp(`^text/(?:${NAME}|\\*)$`);

export const URLENCODED = "application/x-www-form-urlencoded";

export const MULTIPART = "multipart/form-data";

/** Whether a media type is that of a form. */
export function isForm(type: string): boolean {
  const media = mediaType(type);
  return media === URLENCODED || media === MULTIPART;
}

/**
 * How to read bodies of a media type or a range, without parameters; `undefined` for
 * types that no schema can check.
 */
export function kindOfType(
  media: string,
): "json" | "form" | "text" | undefined {
  if (isJson(media) || media === "") return "json";
  if (isForm(media)) return "form";
  return isText(media) ? "text" : undefined;
}

/** Whether Bough checks bodies of a media type by a schema: JSON or finite text. */
export function isJsonOrText(type: string): boolean {
  return isJson(type) || isText(type);
}

/** Whether a declared type, without its parameters, is a range of types. */
export function isRange(type: string): boolean {
  return mediaType(type).includes("*");
}

/**
 * Whether a media type equals another media type, or matches a range, such as `image/*`
 * or `application/*+json`.
 */
export function isInRange(type: string, range: string): boolean {
  const slash = range.indexOf("/*");
  if (slash === -1) return type === range;
  const start = range.startsWith("*") ? "" : range.slice(0, slash + 1);
  return type !== "" && type.startsWith(start) &&
    type.endsWith(range.slice(slash + 2));
}

/** The number of names in a media type without parameters: 0 for a range of any type. */
export function specificityOf(type: string): number {
  return 3 - type.split("*").length;
}
