/**
 * Slow: it starts nginx, and compares it and `serveFile` with Bough.
 * Needs: nginx
 */
import { assertEquals } from "@std/assert";
import { serveFile } from "@std/http/file-server";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { freePort } from "../support/process.ts";
import { until } from "../support/until.ts";
import {
  differences,
  folderOfFiles,
  FUTURE,
  NEW,
  OLD,
  SAME,
  send,
} from "./table.ts";

Deno.test("nginx differs from Bough only in these rows", async () => {
  await using folder = await folderOfFiles();
  await Deno.chmod(folder.path, 0o755);
  await using own = await TestFolder.create({});
  const port = freePort();
  await own.write(
    "nginx.conf",
    `daemon off; master_process off; pid ${own.path}/pid;
error_log ${own.path}/error.log; events {}
http { access_log off; ${
      ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
        `${name}_temp_path ${own.path}/${name};`
      ).join(" ")
    } default_type text/plain;
server { listen 127.0.0.1:${port}; root ${folder.path}; } }`,
  );
  await using process = new Deno.Command("nginx", {
    args: ["-p", own.path, "-c", join(own.path, "nginx.conf")],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until(() => send(port, "").then(() => true, () => false));
  assertEquals(await differences(port), NGINX);
  process.kill();
  await process.status;
});

Deno.test("serveFile differs from Bough only in these rows", async () => {
  await using folder = await folderOfFiles();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) =>
      serveFile(request, join(folder.path, new URL(request.url).pathname)),
  );
  assertEquals(await differences(server.addr.port), STD);
});

const FORMS = ["Sun Jan  7 08:09:07 2024", "Sunday, 07-Jan-24 08:09:07 GMT"];
const since = (date: string) => `If-Modified-Since: ${date}`;
const all = (outcome: string, ...requests: string[]) =>
  Object.fromEntries(requests.map((request) => [request, outcome]));
/**
 * Each row, with what nginx does, below the reason why Bough differs. The outcome names
 * `body` and headers that are not as the table expects.
 */
const NGINX: Record<string, string> = {
  // 14.2: a range of a method other than GET MUST be ignored.
  "HEAD /data.txt|Range: bytes=10-": "416 bytes */10",
  "HEAD /data.txt|Range: bytes=2-4": "206 bytes 2-4/10",
  // 13.1.4: with If-Match, If-Unmodified-Since MUST be ignored.
  [`If-Match: TAG|If-Unmodified-Since: ${OLD}`]: "412",
  // 13.1.3: no later date is a change; nginx wants the same date by default.
  [`If-Modified-Since: ${NEW}`]: "200",
  [`If-Modified-Since: ${FUTURE}`]: "200",
  // 13.1.3: with If-None-Match, If-Modified-Since MUST be ignored.
  [`If-None-Match: TAG|If-Modified-Since: ${OLD}`]: "200",
  // 13.1.3 and 13.1.4: an invalid date MUST be ignored.
  "If-Modified-Since: Sun, 07 Jan 2024 08:09:07 EST": "304",
  "If-Unmodified-Since: yesterday": "412",
  // 14.2: an invalid range MAY be ignored; a client that cannot count gets the file.
  ...all("416 bytes */10", "Range: bytes=-", "Range: bytes=2"),
  ...all("416 bytes */10", "Range: bytes=4-2", "Range: bytes=a-b"),
  // 14.1.1: the grammar has no spaces there.
  "Range: bytes=2 - 4": "206 bytes 2-4/10",
  // 14.1.2: a longer range ends with the file; nginx refuses numbers beyond 64 bits.
  "Range: bytes=-99999999999999999999": "416 bytes */10",
  "Range: bytes=5-99999999999999999999": "416 bytes */10",
  // 14.2: several ranges MAY be ignored; nginx sends multipart/byteranges.
  "Range: bytes=0-1, -1": "206, content-length, body",
  "Range: bytes=0-1,4-5": "206, content-length, body",
};
const CONTENT = "304, content-type";
/** Rows of `serveFile`, whose tags are weak. */
const STD: Record<string, string> = {
  // 13.1.2, 13.1.3: HEAD gets 304 as GET does; std sends 200 before it compares.
  [`HEAD /data.txt|If-Modified-Since: ${SAME}`]: "200",
  "HEAD /data.txt|If-None-Match: TAG": "200",
  // 15.4.5: a 304 SHOULD omit what describes content.
  ...all(CONTENT, "If-None-Match: *", "If-None-Match: TAG"),
  ...all(CONTENT, "If-None-Match: W/TAG", 'If-None-Match: "x", TAG'),
  ...all(CONTENT, 'If-None-Match: "x", W/TAG'),
  ...all(CONTENT, `If-None-Match: TAG|If-Modified-Since: ${OLD}`),
  ...all(CONTENT, "If-None-Match: TAG|Range: bytes=2-4"),
  ...all(CONTENT, "If-Match: TAG|If-None-Match: TAG"),
  ...all(CONTENT, ...[SAME, NEW, FUTURE, ...FORMS].map(since)),
  // 13.1.3: a date of another form MUST be ignored.
  "If-Modified-Since: 2024-01-07T08:09:07Z": CONTENT,
  "If-Modified-Since: Abc 2025": CONTENT,
  "If-Modified-Since: Sun, 07 Jan 2024 08:09:07 EST": CONTENT,
  "If-Modified-Since: Sun, 31 Feb 2024 00:00:00 GMT": CONTENT,
  // 13.1.1 and 13.1.4: std knows neither If-Match nor If-Unmodified-Since.
  ...all("200", "If-Match: W/TAG", 'If-Match: "x"', 'If-Match: "x", W/TAG'),
  'HEAD /data.txt|If-Match: "x"': "200",
  'If-Match: "x"|Range: bytes=2-4': "206 bytes 2-4/10",
  'If-Match: "x"|If-None-Match: TAG': CONTENT,
  [`If-Match: "x"|If-Unmodified-Since: ${SAME}`]: "200",
  [`If-Unmodified-Since: ${OLD}`]: "200",
  [`If-Unmodified-Since: ${OLD}|If-None-Match: TAG`]: CONTENT,
  "If-Unmodified-Since: Sat Jan  6 08:09:07 2024": "200",
  "If-Unmodified-Since: Saturday, 06-Jan-24 08:09:07 GMT": "200",
  "If-Unmodified-Since: Friday, 07-Jan-94 08:09:07 GMT": "200",
  // 13.1.5: std does not know If-Range, and mixes the parts of two versions.
  ...all(
    "206 bytes 2-4/10",
    ...["W/TAG", '"x"', "x", OLD, NEW].map((each) =>
      `Range: bytes=2-4|If-Range: ${each}`
    ),
  ),
  'Range: bytes=10-|If-Range: "x"': "416 bytes */10",
  // 14.1: units ignore case; 5.6.1: a list may begin with a space.
  "Range: BYTES=2-4": "200",
  "Range: bytes= 2-4": "200",
  // 14.2: an invalid range MAY be ignored, as nginx's above.
  "Range: bytes=4-2": "416 bytes */10",
};
