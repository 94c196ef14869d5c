/** Strings of a format. */
export interface FormatStrings {
  /** Strings that a person would write, best first. */
  readonly plain: readonly string[];
  /** Strings that differ from each other as much as possible. */
  readonly varied?: readonly string[];
  /** Strings that programs often mishandle, most valuable first. */
  readonly edges?: readonly string[];
  /** Strings that hardly fit the format. */
  readonly wrong?: readonly string[];
}

const EMAIL = ["ada@example.com"];
const HOSTNAME = ["example.com"];
const REFERENCE = ["/path"];
const BASE64 = ["Qm91Z2g="];
const UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const URI = {
  plain: ["https://example.com/"],
  edges: ["https://a.example/%25?b=%26#c", "https://bücher.example/"],
  wrong: ["//a"],
};

/** The formats of JSON Schema (Validation, 7.3) and zod. */
const FORMATS: Readonly<Record<string, FormatStrings>> = {
  date: {
    plain: ["2026-03-14"],
    varied: ["1970-01-01", "1999-12-31", "2000-02-29", "2026-07-15"]
      .concat("0987-06-05"),
    edges: ["2024-02-29", "2023-12-31", "2096-02-29", "1904-02-29"]
      .concat("9999-12-31"),
    wrong: ["2023-02-29", "2024-02-30", "2024-13-01", "2024-1-1"],
  },
  "date-time": {
    plain: ["2026-03-14T09:30:00Z", "2026-03-14T09:30:00", "2026-03-14T09:30"],
    varied: ["1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999+05:30"]
      .concat("2026-07-15T09:08:07-11:00", "2099-10-08T12:34:56.7Z"),
    edges: ["2024-02-29T23:59:59.999Z", "2023-12-31T23:59:59Z"]
      .concat("2096-02-29T00:00:00Z", "1904-02-29T12:00:00Z")
      .concat("2024-02-29T23:30:00-11:00", "9999-12-31T23:59:59.999Z"),
    wrong: ["2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z"]
      .concat("2024-01-01T24:00:01Z"),
  },
  time: {
    plain: ["09:30:00Z", "09:30:00", "09:30"],
    varied: ["00:00:00Z", "09:08:07.6Z", "12:34:56+05:30", "23:59:59-11:00"],
    edges: ["00:00:00", "23:59:59", "23:59:59.999"],
    wrong: ["24:00:01", "12:60:00"],
  },
  duration: {
    plain: ["PT30M"],
    varied: ["P1D", "PT15M", "P1Y2M3DT4H5M6S", "P4W"],
  },
  email: {
    plain: EMAIL,
    varied: ["a@b.co", "ada@example.com", "Ada.Lovelace+x@mail.example.org"]
      .concat(
        "o'neil_7@a-b.museum",
        "42@42.example",
        `${"x".repeat(64)}@x.net`,
      ),
    edges: ["a+b@example.com", "o'neil@mail.example.org", "A@EXAMPLE.COM"],
    wrong: ["a@", "a b@example.com"],
  },
  "idn-email": { plain: EMAIL },
  hostname: {
    plain: HOSTNAME,
    varied: ["a", "example.com", "x-1.y-2.example.org", "7.example"],
  },
  "idn-hostname": { plain: HOSTNAME },
  ipv4: {
    plain: ["192.0.2.1"],
    varied: ["0.0.0.0", "10.1.2.3", "127.0.0.1", "192.0.2.1"]
      .concat("255.255.255.255"),
    edges: ["0.0.0.0", "255.255.255.255"],
    wrong: ["256.0.0.1"],
  },
  ipv6: {
    plain: ["2001:db8::1"],
    varied: ["::", "::1", "2001:db8::8a2e:370:7334", "FE80::1"]
      .concat("1:2:3:4:5:6:7:8"),
    edges: ["::", "::ffff:192.0.2.1"],
    wrong: ["::g"],
  },
  cidrv4: { plain: ["192.0.2.0/24"] },
  cidrv6: { plain: ["2001:db8::/32"] },
  uri: {
    ...URI,
    varied: ["https://example.com/", "http://a.b:8080/c?d=e#f"]
      .concat("urn:isbn:1234", "mailto:a@b.example", "ftp://x/"),
  },
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
    varied: [
      "00000000-0000-0000-0000-000000000000",
      UUID,
      "0198C0F2-6F5A-7B1C-9D3E-2F4A6B8C0D1E",
      "c232ab00-9414-11ec-b3c8-9f6bdeced846",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ],
    edges: ["00000000-0000-0000-0000-000000000000"],
    wrong: ["a987fbc9-4bed-4078-8f07-9141ba07c9f"],
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
    ? FORMATS[String(format)]
    : undefined;
}
