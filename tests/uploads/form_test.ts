import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import type { FrameworkRequest } from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import { uploadApplication, UploadServer } from "./support.ts";

function image(size: number, name = "a.png", type = "image/png"): File {
  return new File([new Uint8Array(size).fill(7)], name, { type });
}

function formOf(...entries: [string, string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

const TITLE: [string, string] = ["title", "Emma"];

async function send(
  server: UploadServer,
  method: string,
  body: BodyInit,
  headers: HeadersInit = {},
  // deno-lint-ignore no-explicit-any
): Promise<{ status: number; json: any }> {
  const response = await fetch(server.url("/api/files"), {
    method,
    body,
    headers,
  });
  return { status: response.status, json: await response.json() };
}

Deno.test("files stream after the fields, in the order of arrival (behaviour 7.8)", async () => {
  await using server = await UploadServer.open();
  const text = image(10, "../x/é🙂.txt", "text/plain; charset=utf-8");
  const { status, json } = await send(
    server,
    "POST",
    formOf(
      TITLE,
      ["photo", image(100_000)],
      ["text", text],
      [
        "photo",
        image(0, "b.svg", "image/svg+xml"),
      ],
      ["photo", image(0, "", "")],
      ["text", ""],
      ["photo", image(3, "")],
    ),
  );
  assertEquals(status, 201, JSON.stringify(json));
  assertEquals(json.title, "Emma");
  // deno-lint-ignore no-explicit-any
  assertEquals(json.names.map(({ name: _, ...rest }: any) => rest), [
    { field: "photo", sent: "a.png", type: "image/png", size: 100_000 },
    { field: "text", sent: "é🙂.txt", type: "text/plain", size: 10 },
    { field: "photo", sent: "b.svg", type: "image/svg+xml", size: 0 },
    { field: "photo", sent: "", type: "image/png", size: 3 },
  ]);
  const saved = await Deno.readFile(`${server.folder}/${json.names[0].name}`);
  assertEquals(saved, new Uint8Array(100_000).fill(7));
});

Deno.test("an input for a file without a choice is absent for every reader (behaviour 7.2)", async () => {
  const text = z.string();
  const files = { photo: file({ count: [0, 1] }) };
  const bodies = {
    buffered: z.object({ text, photo: z.file().optional() }),
    streamed: form({ fields: z.object({ text }), files }),
    handler: undefined,
  };
  const application = TestApplication.of(Object.fromEntries(
    Object.entries(bodies).map(([path, body]) => [
      `${path}/route.ts`,
      {
        ...(body && { schema: { post: { body } } }),
        POST: async (request) =>
          Response.json(
            body ? request.validated : [...(await request.formData()).keys()],
          ),
      } satisfies TestModule,
    ]),
  ));
  const seen = await Promise.all(
    Object.keys(bodies).map(async (path) => {
      const body = formOf(["photo", image(0, "", "")], ["text", "a"]);
      const init = { method: "POST", body };
      return await (await application.fetch(`/api/${path}`, init)).json();
    }),
  );
  assertEquals(seen, [
    { body: { text: "a" } },
    { body: { fields: { text: "a" }, files: {} } },
    ["text"],
  ]);
});

Deno.test("a form with an error is rejected, and no file is saved (behaviour 7.8)", async () => {
  await using server = await UploadServer.open();
  const photo: [string, File] = ["photo", image(5)];
  const other: [string, File] = ["other", image(1)];
  const large: [string, File] = ["photo", image(100_001)];
  const page: [string, File] = ["photo", image(5, "a", "text/html")];
  const many = [photo, photo, photo, photo];
  const cases: [number, string, ...[string, string | File][]][] = [
    [400, "#/title", photo, TITLE],
    [400, "#/note", TITLE, photo, ["note", "x"]],
    [400, "#/photo", TITLE],
    [400, "Expected a file", TITLE, ["photo", "x"], photo],
    [400, "Expected a file", TITLE, photo, ["photo", "x"]],
    [400, "received undefined; send fields before files", photo, TITLE],
    [400, "#/other", TITLE, photo, other],
    [413, 'A file of "photo" is larger than 100000 bytes', TITLE, photo, large],
    [413, 'The form has more than 3 files in "photo"', TITLE, ...many],
    [415, 'A file of "photo" is "text/html"', TITLE, photo, page],
  ];
  for (const [expected, words, ...entries] of cases) {
    const { status, json } = await send(server, "POST", formOf(...entries));
    assertEquals(status, expected, words);
    assert(
      JSON.stringify(json).replaceAll('\\"', '"').includes(words),
      JSON.stringify(json),
    );
    assertEquals(server.files, []);
  }
  const headers = { "sec-fetch-site": "cross-site" };
  assertEquals(
    (await send(server, "POST", formOf(TITLE, photo), headers)).status,
    403,
  );
});

Deno.test("a body that is one file streams (behaviour 7.8)", async () => {
  await using server = await UploadServer.open();
  const bytes = new TextEncoder().encode("Hello");
  const put = async (type: string, digest: string, body: BodyInit = bytes) =>
    (await send(server, "PUT", body, {
      "content-type": type,
      "content-digest": digest,
    })).status;
  assertEquals(await put("video/mp4", ""), 200);
  assertEquals(server.files.length, 1);
  assertEquals(await put("video/mp4", "sha-256=:AAAA:"), 400);
  assertEquals(await put("text/plain", ""), 415);
  assertEquals(await put("video/mp4", "", new Uint8Array(100_001)), 413);
  assertEquals(server.files.length, 1);
});

Deno.test("a skipped or cancelled file does not hold up the next file (behaviour 7.8)", async () => {
  const schema = {
    post: { body: form({ files: { photo: file({ count: [0, 9] }) } }) },
  };
  const seen: string[] = [];
  const application = TestApplication.of({
    "files/route.ts": {
      schema,
      async POST(request: FrameworkRequest<typeof schema.post>) {
        for await (const { name, stream } of request.validated.body.files) {
          seen.push(name);
          if (name === "1") await stream.cancel();
          if (name === "2") await stream.getReader().read();
        }
        return Response.json(seen);
      },
    },
  });
  const names = ["0", "1", "2", "3"];
  const entries = names.map((name) =>
    ["photo", image(400_000, name)] as [string, File]
  );
  const init = { method: "POST", body: formOf(...entries) };
  await application.fetch("/api/files", init);
  assertEquals(seen, names);
});

Deno.test("a handler that ends early sends its response (behaviour 7.8)", async () => {
  const query = z.object({ q: z.string() });
  let count = 0;
  await using server = await TestApplication.of({
    "files/route.ts": {
      schema: { post: { query, body: file({ maxSize: "1GB" }) } },
      POST: () => Response.json(++count, { status: 202 }),
    },
  }).serve();
  const body = new Uint8Array(900_000);
  for (const [search, status] of [["", 400], ["?q=1", 202]] as const) {
    const headers = { "content-type": "application/octet-stream" };
    const init = { method: "POST", body, headers };
    const response = await fetch(server.url(`/api/files${search}`), init);
    assertEquals(response.status, status);
    await response.body?.cancel();
  }
  assertEquals(count, 1);
});

/** Sends a body that is rejected, and reads only after it has written the body. */
async function sendRefused(path: string, size: number): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path });
  await connection.write(new TextEncoder().encode(
    `PUT /api/files HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\n` +
      `Content-Length: ${size}\r\n\r\n`,
  ));
  for (let sent = 0; sent < size;) {
    const rest = Math.min(size - sent, 200_000);
    sent += await connection.write(new Uint8Array(rest));
  }
  const buffer = new Uint8Array(100);
  const read = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, read ?? 0));
}

Deno.test("Bough reads a rejected body for another 1 MiB, and then cancels it (behaviour 7.8)", async () => {
  const folder = await Deno.makeTempDir();
  const app = await uploadApplication(folder);
  // The buffers of such a socket hold less than the bodies.
  const path = join(folder, "socket");
  const server = Deno.serve(
    { path, onListen() {} },
    (request) => app.fetch(request),
  );
  assert((await sendRefused(path, 1_000_000)).startsWith("HTTP/1.1 413"));
  // Deno itself would read all of this body.
  await assertRejects(
    () => sendRefused(path, 60_000_000),
    Deno.errors.BrokenPipe,
  );
  await server.shutdown();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("file() and form() check their options", () => {
  const wrong: [() => unknown, string][] = [
    [
      () => file({ maxSize: "2 GiB" as "2GiB" }),
      'Cannot declare a file: maxSize must be a number of bytes or a size, such as "500kB" or "2GiB", got "2 GiB"',
    ],
    [
      () => file({ count: [2, 1] }),
      "Cannot declare a file: count must be the least and the greatest number, such as [1, 20], got an array",
    ],
    [
      () => file({ types: ["image"] }),
      'Cannot declare a file: types[0] must be a media type in lowercase, such as "image/*", got "image"',
    ],
    ...[{}, { maxSize: 5 }, form({ files: {} })].map((
      file,
    ): [() => unknown, string] => [
      () => form({ files: { a: file as never } }),
      "Cannot declare a form: files.a must be file(), got an object",
    ]),
  ];
  for (const [make, message] of wrong) {
    assertEquals(assertThrows(make, Error).message, message);
  }
  const sizes = (["1.5kB", "2KiB", "2kiB", "2GiB"] as const)
    .map((maxSize) => file({ maxSize }).maxSize);
  assertEquals(sizes, [1_500, 2_048, 2_048, 2 ** 31]);
});
