/** A body that a client sends, and the status that it must get. */
export interface HostileBody {
  readonly name: string;
  /** The bytes, in the pieces in which they are sent. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** The headers of the body; by default a form with the right length. */
  readonly headers?: readonly string[];
  /** The status; 0 stands for a connection that Deno closes without a response. */
  readonly status: number;
  /** The milliseconds between two pieces. */
  readonly pause?: number;
}

const B = "xBoundaryx";
const TYPE = `Content-Type: multipart/form-data; boundary=${B}`;

function part(headers: string, content: string): string {
  return `--${B}\r\n${headers}\r\n\r\n${content}\r\n`;
}

function field(name: string, value: string): string {
  return part(`Content-Disposition: form-data; name="${name}"`, value);
}

function file(
  name: string,
  content: string,
  { filename = "a.png", type = "image/png" } = {},
): string {
  return part(
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
      `Content-Type: ${type}`,
    content,
  );
}

const END = `--${B}--\r\n`;
const TITLE = field("title", "Emma");
const PHOTO = file("photo", "bytes of a photo");
const VALID = TITLE + PHOTO + END;

/** A body that is rejected. */
function bad(
  name: string,
  pieces: HostileBody["pieces"],
  status = 400,
  rest: Partial<HostileBody> = {},
): HostileBody {
  return { name, pieces, status, ...rest };
}

/** A body that is saved, and only looks malicious. */
function odd(name: string, pieces: HostileBody["pieces"]): HostileBody {
  return { name, pieces, status: 201 };
}

function typed(...lines: string[]): Pick<HostileBody, "headers"> {
  return { headers: [...lines, `Content-Length: ${VALID.length}`] };
}

/** The valid form, cut off inside each of its parts. */
const TRUNCATED = [
  ["the first delimiter", 4],
  ["the name of a header", VALID.indexOf("Disposition")],
  ["the value of a header", VALID.indexOf("form-data") + 4],
  ["the end of the headers", VALID.indexOf("\r\n\r\n") + 2],
  ["a field", VALID.indexOf("Emma") + 2],
  ["a delimiter", VALID.indexOf(PHOTO) + 6],
  ["the headers of a file", VALID.indexOf("image/png") + 3],
  ["an empty file", VALID.indexOf("bytes of")],
  ["a file", VALID.indexOf("of a photo")],
  ["the last delimiter", VALID.indexOf(END) + 5],
  ["the last dashes", VALID.indexOf(END) + END.length - 3],
] as const;

/** Bodies for the form of `uploadApplication()`. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  odd("a boundary split at every byte", [...VALID]),
  odd("a preamble and an epilogue", [`Hello\r\n${VALID}`, "x".repeat(9_000)]),
  bad("an epilogue larger than the form may be", [
    VALID,
    "x".repeat(3_000_000),
  ], 413),
  ...TRUNCATED.flatMap(([place, end]) => [
    bad(`cut off in ${place}`, [VALID.slice(0, end)]),
    bad(`stalls in ${place}`, [VALID.slice(0, end)], 408, typed(TYPE)),
  ]),
  bad("nothing", [""]),
  bad("only the end", [END]),
  bad("repeated boundaries", [`--${B}\r\n`.repeat(50) + END]),
  bad("a part whose headers do not end", [
    TITLE + `--${B}\r\nContent-Disposition: form-data; name="x"\r\n--${B}\r\n` +
    END,
  ]),
  bad("a header without a colon", [TITLE + part("Nonsense", "x") + END]),
  bad("line breaks without CR", [VALID.replaceAll("\r\n", "\n")]),
  odd("the boundary inside of a file", [
    TITLE + file("photo", `a\r\n--${B}b`) + END,
  ]),
  bad("a nested form", [
    TITLE +
    part(
      'Content-Disposition: form-data; name="photo"\r\nContent-Type: multipart/mixed; boundary=y',
      '--y\r\nContent-Disposition: file; filename="a.png"\r\n\r\nx\r\n--y--',
    ) + END,
  ]),
  bad("20,000 parts without a name", [
    part("X: y", "").repeat(20_000) + VALID,
  ]),
  bad("5,000 fields", [field("a", "b").repeat(5_000) + VALID], 413),
  bad(
    "5,000 empty files",
    [TITLE + file("photo", "").repeat(5_000) + END],
    413,
  ),
  bad("5,000 inputs without a file", [
    TITLE + file("photo", "", { filename: "" }).repeat(5_000) + END,
  ]),
  bad("4 MB of fields", [field("title", "x".repeat(4_000_000)) + END], 413),
  bad("a name of 64 KiB", [
    field("x".repeat(65_536), "y") + PHOTO + END,
  ]),
  bad("the name of a file of 64 KiB", [
    TITLE + file("photo", "x", { filename: "x".repeat(65_536) }) + END,
  ]),
  bad("20,000 headers", [
    TITLE + part("X: y\r\n".repeat(20_000) + "Y: z", "x") + END,
  ]),
  bad("1 MiB of spaces in a header", [
    TITLE + part(`X:${" ".repeat(1_048_576)}y`, "x") + END,
  ], 400),
  odd("a path as the name of a file", [
    TITLE + file("photo", "x", { filename: "../../etc/passwd" }) + END,
  ]),
  odd("NUL in the name of a file", [
    TITLE + file("photo", "x", { filename: "a\0b.png" }) + END,
  ]),
  bad("an encoded name, which forms do not have (RFC 7578)", [
    TITLE +
    part(
      `Content-Disposition: form-data; name="photo"; filename*=UTF-8''%zz%ff\r\nContent-Type: image/png`,
      "x",
    ) + END,
  ]),
  odd("a file without a name", [
    TITLE + file("photo", "x", { filename: "" }) + END,
  ]),
  bad("the name of an inherited member", [
    TITLE + file("__proto__", "x") + END,
  ]),
  bad("inherited members as fields", [
    field("__proto__", "x") + field("constructor", "y") + PHOTO + END,
  ]),
  bad("a repeated field", [TITLE + VALID]),
  odd("an unknown character set", [
    part(
      'Content-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=x-none',
      "é",
    ) + PHOTO + END,
  ]),
  odd("a file in base64, which stays as it is", [
    TITLE +
    PHOTO.replace(
      "image/png",
      "image/png\r\nContent-Transfer-Encoding: base64",
    ) + END,
  ]),
  bad("a false encoding", [VALID], 400, typed(TYPE, "Content-Encoding: gzip")),
  bad("an unknown encoding", [VALID], 415, typed(TYPE, "Content-Encoding: br")),
  bad("no boundary", [VALID], 400, typed("Content-Type: multipart/form-data")),
  bad(
    "an empty boundary",
    [VALID],
    400,
    typed('Content-Type: multipart/form-data; boundary=""'),
  ),
  bad("another boundary", [VALID], 400, typed(TYPE + "y")),
  bad("no content type", [VALID], 415, typed("X-Y: z")),
  bad("JSON", [VALID], 415, typed("Content-Type: application/json")),
  bad("a length of 10 GB", [VALID], 413, {
    headers: [TYPE, "Content-Length: 10000000000"],
  }),
  bad("a length that is too small", [VALID], 400, {
    headers: [TYPE, "Content-Length: 90"],
  }),
  bad("two lengths", [VALID], 400, {
    headers: [TYPE, "Content-Length: 90", "Content-Length: 91"],
  }),
  bad("a malformed chunk", [`5\r\n--${B}\r\nzz\r\n`], 0, {
    headers: [TYPE, "Transfer-Encoding: chunked"],
  }),
  bad("fields that drip", [...TITLE.repeat(9)], 408, {
    pause: 20,
    headers: [TYPE, "Content-Length: 100000"],
  }),
];

/** The request of a body. */
export function requestOf({ headers, pieces }: HostileBody): {
  readonly head: string;
  readonly pieces: readonly Uint8Array[];
} {
  const encoder = new TextEncoder();
  const bytes = pieces.map((piece) =>
    typeof piece === "string" ? encoder.encode(piece) : piece
  );
  const length = bytes.reduce((sum, { length }) => sum + length, 0);
  const lines = headers ?? [TYPE, `Content-Length: ${length}`];
  return {
    head: ["POST /api/files HTTP/1.1", "Host: localhost", ...lines, "", ""]
      .join("\r\n"),
    pieces: bytes,
  };
}
