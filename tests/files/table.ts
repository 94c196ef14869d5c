/** Rows for RFC 9110, sections 8.8, 13, 14 and 15, and the outcome of a response. */
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { rawRequest, type RawResponse } from "../support/raw_http.ts";

/** The files, changed at `DATE`. */
const FILES = { "data.txt": "0123456789", "empty.txt": "" };
const DATE = new Date("2024-01-07T08:09:07Z");

export async function folderOfFiles(): Promise<TestFolder> {
  const folder = await TestFolder.create(FILES);
  for (const name of Object.keys(FILES)) {
    await Deno.utime(join(folder.path, name), DATE, DATE);
  }
  return folder;
}

/**
 * The request and the outcome: the status with `Content-Range`. `TAG` stands for the
 * current tag. Without a method, it is `GET /data.txt`.
 */
export type Row = readonly [request: string, outcome: string];

export const SAME = "Sun, 07 Jan 2024 08:09:07 GMT";
export const OLD = "Sat, 06 Jan 2024 08:09:07 GMT";
export const NEW = "Mon, 08 Jan 2024 08:09:07 GMT";
export const FUTURE = "Sun, 01 Jan 2090 00:00:00 GMT";
const PART = "Range: bytes=2-4";
const [FIRST, REST] = ["206 bytes 2-4/10", "206 bytes 5-9/10"];
const [WHOLE, BEYOND] = ["200", "416 bytes */10"];
const rows = (outcome: string, ...requests: string[]): Row[] =>
  requests.map((request) => [request, outcome]);

export const ROWS: readonly Row[] = [
  // 13.1.1
  ...rows(WHOLE, "", "HEAD /data.txt", "GET /empty.txt", "If-Match: TAG"),
  ...rows(WHOLE, "If-Match: *", 'If-Match: "x", TAG'),
  ...rows(WHOLE, "HEAD /data.txt|If-Match: TAG"),
  ...rows("412", 'If-Match: "x"', "If-Match: W/TAG", 'If-Match: "x", W/TAG'),
  ...rows("412", 'HEAD /data.txt|If-Match: "x"', `If-Match: "x"|${PART}`),
  // 13.1.2
  ...rows("304", "If-None-Match: TAG", "If-None-Match: W/TAG"),
  ...rows("304", "If-None-Match: *"),
  ...rows("304", 'If-None-Match: "x", TAG', 'If-None-Match: "x", W/TAG'),
  ...rows("304", "HEAD /data.txt|If-None-Match: TAG"),
  ...rows("304", `If-None-Match: TAG|${PART}`),
  ...rows(WHOLE, 'If-None-Match: "x"', 'If-None-Match: W/"x", "y"'),
  // 13.1.3: the three forms of section 5.6.7, later, and in the future
  ...rows("304", `If-Modified-Since: ${SAME}`, `If-Modified-Since: ${NEW}`),
  ...rows("304", "If-Modified-Since: Sunday, 07-Jan-24 08:09:07 GMT"),
  ...rows("304", "If-Modified-Since: Sun Jan  7 08:09:07 2024"),
  ...rows("304", `HEAD /data.txt|If-Modified-Since: ${SAME}`),
  ["If-Modified-Since: " + FUTURE, "304"],
  ...rows(WHOLE, `If-Modified-Since: ${OLD}`, "If-Modified-Since: yesterday"),
  ...rows(WHOLE, "If-Modified-Since: 2024-01-07T08:09:07Z"),
  ...rows(WHOLE, "If-Modified-Since: 0", "If-Modified-Since: Abc 2025"),
  ...rows(WHOLE, "If-Modified-Since: Sun, 31 Feb 2024 00:00:00 GMT"),
  ...rows(WHOLE, "If-Modified-Since: Sun, 07 Jan 2024 08:09:07 EST"),
  // 13.1.4
  ...rows(WHOLE, `If-Unmodified-Since: ${SAME}`, `If-Unmodified-Since: ${NEW}`),
  ...rows(WHOLE, `If-Unmodified-Since: ${FUTURE}`),
  ...rows(WHOLE, "If-Unmodified-Since: yesterday"),
  // A year of two digits is at most 50 years from now.
  ...rows(WHOLE, "If-Unmodified-Since: Wednesday, 07-Jan-60 08:09:07 GMT"),
  ...rows("412", "If-Unmodified-Since: Friday, 07-Jan-94 08:09:07 GMT"),
  ...rows("412", `If-Unmodified-Since: ${OLD}`),
  ...rows("412", "If-Unmodified-Since: Saturday, 06-Jan-24 08:09:07 GMT"),
  ...rows("412", "If-Unmodified-Since: Sat Jan  6 08:09:07 2024"),
  // 13.2.2: tags come before dates, If-Match before If-None-Match
  [`If-Match: TAG|If-Unmodified-Since: ${OLD}`, WHOLE],
  [`If-Match: "x"|If-Unmodified-Since: ${SAME}`, "412"],
  [`If-None-Match: "x"|If-Modified-Since: ${SAME}`, WHOLE],
  [`If-None-Match: TAG|If-Modified-Since: ${OLD}`, "304"],
  ["If-Match: TAG|If-None-Match: TAG", "304"],
  ['If-Match: "x"|If-None-Match: TAG', "412"],
  [`If-Unmodified-Since: ${OLD}|If-None-Match: TAG`, "412"],
  // 13.1.5
  ...rows(FIRST, `${PART}|If-Range: TAG`, `${PART}|If-Range: ${SAME}`),
  ...rows(WHOLE, `${PART}|If-Range: W/TAG`, `${PART}|If-Range: "x"`),
  ...rows(WHOLE, `${PART}|If-Range: ${OLD}`, `${PART}|If-Range: ${NEW}`),
  ...rows(WHOLE, `${PART}|If-Range: x`, "If-Range: TAG"),
  ["Range: bytes=10-|If-Range: TAG", BEYOND],
  ['Range: bytes=10-|If-Range: "x"', WHOLE],
  // 14.1.2 and 14.2
  ...rows(FIRST, PART, "Range: BYTES=2-4", "Range: bytes= 2-4"),
  ...rows(FIRST, "Range: bytes=2-4 "),
  ...rows(REST, "Range: bytes=5-", "Range: bytes=-5", "Range: bytes=5-99"),
  ["Range: bytes=5-99999999999999999999", REST],
  ...rows("206 bytes 0-9/10", "Range: bytes=0-", "Range: bytes=-99"),
  ["Range: bytes=-99999999999999999999", "206 bytes 0-9/10"],
  ["Range: bytes=9-9", "206 bytes 9-9/10"],
  ...rows(BEYOND, "Range: bytes=10-", "Range: bytes=10-12", "Range: bytes=-0"),
  ["Range: bytes=99999999999999999999-", BEYOND],
  ...rows(WHOLE, "Range: bytes=4-2", "Range: bytes=-", "Range: bytes=2"),
  ...rows(WHOLE, "Range: x"),
  ...rows(WHOLE, "Range: bytes=a-b", "Range: bytes=2 - 4", "Range: lines=2-4"),
  ...rows(WHOLE, "Range: bytes=0-1,4-5", "Range: bytes=0-1, -1"),
  ["HEAD /data.txt|Range: bytes=2-4", WHOLE],
  ["HEAD /data.txt|Range: bytes=10-", WHOLE],
  ...rows(WHOLE, "GET /empty.txt|Range: bytes=0-"),
  ...rows(WHOLE, "GET /empty.txt|Range: bytes=-1"),
  ["POST /data.txt|Range: bytes=2-4", "405"],
];

/** Sends a row's request. */
export async function send(
  port: number,
  request: string,
  tag = "",
  prefix = "",
) {
  const weak = `W/${tag.replace("W/", "")}`;
  const lines = request.replaceAll("W/TAG", weak).replaceAll("TAG", tag).split(
    "|",
  );
  if (!/^[A-Z]+ \//.test(request)) lines.unshift("GET /data.txt");
  const [method, path] = lines[0]!.split(" ");
  lines[0] = `${method} ${prefix}${path} HTTP/1.1`;
  if (method === "POST") lines.push("Content-Length: 0");
  return await rawRequest(port, lines.filter(Boolean).join("\n"));
}

/** The outcome of a response, with every violation of what holds for its status. */
export function outcome(
  request: string,
  response: RawResponse,
  tag: string,
): string {
  const { status, headers, body } = response;
  const range = headers.get("content-range");
  const found = [status, range ?? []].flat().join(" ");
  const file = request.includes("empty") ? "" : FILES["data.txt"];
  const [, start = 0, end = file.length - 1] =
    /(\d+)-(\d+)/.exec(range ?? "") ?? [];
  const content = file.slice(Number(start), Number(end) + 1);
  const wanted: Record<string, string | null> = {};
  if (status < 300) wanted["content-length"] = String(content.length);
  if (status === 200) wanted["accept-ranges"] = "bytes";
  if (status === 304) {
    for (const name of ["type", "length", "range", "encoding"]) {
      wanted[`content-${name}`] = null;
    }
  }
  if (status < 400 && !request.includes("empty")) {
    Object.assign(wanted, { etag: tag, "last-modified": SAME });
  }
  const wrong = Object.keys(wanted).filter((name) =>
    headers.get(name) !== wanted[name]
  );
  const sent = status === 304 || request.startsWith("HEAD") ? "" : content;
  if (status < 400 && body !== sent) wrong.push("body");
  return [found, ...wrong].join(", ");
}

/** The outcomes that differ from the table, by request. */
export async function differences(port: number, prefix = "") {
  const tag = (await send(port, "", "", prefix)).headers.get("etag") ?? "none";
  const found: Record<string, string> = {};
  for (const [request, expected] of ROWS) {
    const seen = outcome(request, await send(port, request, tag, prefix), tag);
    if (seen !== expected) found[request] = seen;
  }
  return found;
}
