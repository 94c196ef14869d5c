import type { Draw } from "./draw.ts";

/** The values of a schema without structure. */
export interface LeafValues {
  /** A valid value, the best as a person would write it; `undefined` if none is found. */
  readonly plain: (draw: Draw) => unknown;
  /**
   * Values at the limits, and values that programs often mishandle, most valuable first.
   * The schema itself decides which of these values are valid.
   */
  readonly edges: readonly unknown[];
  /** Values just beyond the limits; hardly any of them is valid. */
  readonly beyond: readonly unknown[];
}

/** The strings of a format. */
interface FormatStrings {
  /** Valid strings that a person would write, best first. */
  readonly plain: readonly string[];
  /** A pattern of other valid strings. */
  readonly pattern?: string;
  readonly edges: readonly string[];
  readonly beyond: readonly string[];
}

const DAY = "(?:19[789]|20[0-9])[0-9]-(?:0[1-9]|1[0-2])-(?:[01][1-9]|2[0-8])";
const TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
const BYTE = "(?:1[0-9][0-9]|[1-9]?[0-9])";
const WORD = "[a-z][a-z0-9]{0,7}";
const EMAIL = ["ada@example.com"];
const HOSTNAME = ["example.com"];
const REFERENCE = ["/path"];
const BASE64 = ["Qm91Z2g="];
const UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const URI = {
  plain: ["https://example.com/"],
  pattern: `https://${WORD}\\.org/${WORD}`,
  edges: ["https://a.example/%25?b=%26#c", "https://bücher.example/"]
    .concat("urn:isbn:1234", "http://a.b:8080/c?d=e#f", "mailto:a@b.example"),
  beyond: ["//a"],
};

/** The formats of JSON Schema (Validation, 7.3) and zod. */
const FORMATS: Readonly<Record<string, Partial<FormatStrings>>> = {
  date: {
    plain: ["2026-03-14"],
    pattern: DAY,
    edges: ["2024-02-29", "2023-12-31", "2096-02-29", "1904-02-29"]
      .concat("9999-12-31", "0987-06-05", "1970-01-01"),
    beyond: ["2023-02-29", "2024-02-30", "2024-13-01", "2024-1-1"],
  },
  "date-time": {
    plain: ["2026-03-14T09:30:00Z", "2026-03-14T09:30:00", "2026-03-14T09:30"],
    pattern: `${DAY}T${TIME}\\.[0-9]{3}Z`,
    edges: ["2024-02-29T23:59:59.999Z", "2023-12-31T23:59:59Z"]
      .concat("2096-02-29T00:00:00Z", "1904-02-29T12:00:00Z")
      .concat("2024-02-29T23:30:00-11:00", "9999-12-31T23:59:59.999Z")
      .concat("1999-12-31T23:59:59.999+05:30", "2099-10-08T12:34:56.7Z"),
    beyond: ["2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z"]
      .concat("2024-01-01T24:00:01Z"),
  },
  time: {
    plain: ["09:30:00Z", "09:30:00", "09:30"],
    pattern: TIME,
    edges: ["00:00:00", "23:59:59", "23:59:59.999", "00:00:00Z"]
      .concat("09:08:07.6Z", "12:34:56+05:30", "23:59:59-11:00"),
    beyond: ["24:00:01", "12:60:00"],
  },
  duration: {
    plain: ["PT30M"],
    edges: ["P1D", "P1Y2M3DT4H5M6S", "P4W"],
  },
  email: {
    plain: EMAIL,
    pattern: `${WORD}@${WORD}\\.(?:com|org|museum)`,
    edges: ["a+b@example.com", "o'neil@mail.example.org", "A@EXAMPLE.COM"]
      .concat("a@b.co", "Ada.Lovelace+x@mail.example.org", "42@42.example")
      .concat("o'neil_7@a-b.museum", `${"x".repeat(64)}@x.net`),
    beyond: ["a@", "a b@example.com"],
  },
  "idn-email": { plain: EMAIL },
  hostname: {
    plain: HOSTNAME,
    pattern: `${WORD}\\.${WORD}`,
    edges: ["a", "x-1.y-2.example.org", "7.example"],
  },
  "idn-hostname": { plain: HOSTNAME },
  ipv4: {
    plain: ["192.0.2.1"],
    pattern: `(?:${BYTE}\\.){3}${BYTE}`,
    edges: ["0.0.0.0", "255.255.255.255", "127.0.0.1", "10.1.2.3"],
    beyond: ["256.0.0.1"],
  },
  ipv6: {
    plain: ["2001:db8::1"],
    pattern: "(?:[1-9a-f][0-9a-f]{0,3}:){7}[1-9a-f][0-9a-f]{0,3}",
    edges: ["::", "::ffff:c000:201", "FE80::1", "1:2:3:4:5:6:7:8"],
    beyond: ["::g"],
  },
  cidrv4: { plain: ["192.0.2.0/24"] },
  cidrv6: { plain: ["2001:db8::/32"] },
  uri: URI,
  iri: { plain: URI.plain },
  url: URI,
  "uri-reference": { plain: REFERENCE },
  "iri-reference": { plain: REFERENCE },
  "uri-template": { plain: ["/books/{id}"] },
  "json-pointer": { plain: ["/title"] },
  "relative-json-pointer": { plain: ["1/title"] },
  regex: { plain: ["^[a-z]+$"] },
  uuid: {
    plain: [UUID, "0198c0f2-6f5a-7b1c-9d3e-2f4a6b8c0d1e"],
    pattern:
      "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    edges: [
      "00000000-0000-0000-0000-000000000000",
      "0198C0F2-6F5A-7B1C-9D3E-2F4A6B8C0D1E",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    ],
    beyond: ["a987fbc9-4bed-4078-8f07-9141ba07c9f"],
  },
  guid: { plain: [UUID] },
  byte: { plain: BASE64 },
  base64: { plain: BASE64 },
  base64url: { plain: ["Qm91Z2g"] },
  e164: { plain: ["+15550100"] },
  emoji: { plain: ["🌳"] },
  jwt: { plain: ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"] },
};

/** The strings of a format; `undefined` if the format is unknown. */
export function stringsOf(format: unknown): FormatStrings | undefined {
  return Object.hasOwn(FORMATS, String(format))
    ? { plain: [], edges: [], beyond: [], ...FORMATS[String(format)] }
    : undefined;
}
