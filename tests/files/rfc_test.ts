import { files, sendFile } from "@bough/framework/files";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestApplication } from "../support/application.ts";
import { differences, folderOfFiles, send } from "./table.ts";

Deno.test("files() and sendFile() follow each row of RFC 9110", async () => {
  await using folder = await folderOfFiles();
  const route = (name: string) => {
    const GET = (request: Request) =>
      sendFile(request, join(folder.path, name));
    return { GET, POST: GET };
  };
  const application = TestApplication.of({
    "sent/data.txt/route.ts": route("data.txt"),
    "sent/empty.txt/route.ts": route("empty.txt"),
  }, { plugins: [files({ dir: folder.path })] });
  await using server = await application.serve();
  assertEquals(await differences(server.port), {});
  // A route has its own methods, and a range is only for GET (section 14.2).
  assertEquals(await differences(server.port, "/api/sent"), {
    "POST /data.txt|Range: bytes=2-4": "200",
  });
  const tag = (await send(server.port, "")).headers.get("etag")!;
  const { headers } = await send(server.port, "If-None-Match: TAG", tag);
  assertEquals(headers.get("cache-control"), "no-cache");
  assertEquals(headers.get("vary")?.toLowerCase(), "accept-encoding");
});

Deno.test("a version that may still change validates no range", async () => {
  const lastModified = new Date();
  const GET = (request: Request) =>
    sendFile(request, new Uint8Array(10), { etag: 'W/"1"', lastModified });
  const application = TestApplication.of({ "new/route.ts": { GET } });
  await using server = await application.serve();
  const rows = [
    ['If-Match: W/"1"', 412],
    ['If-None-Match: "1"', 304],
    ['Range: bytes=2-4|If-Range: W/"1"', 200],
    [`Range: bytes=2-4|If-Range: ${lastModified.toUTCString()}`, 200],
  ] as const;
  for (const [request, expected] of rows) {
    const { status } = await send(server.port, `GET /api/new|${request}`);
    assertEquals(status, expected, request);
  }
});
