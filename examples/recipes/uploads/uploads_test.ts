import { assert, assertEquals, assertMatch } from "@std/assert";
import { app } from "./main.ts";
import { openFolder } from "./uploads.ts";

const TYPE = { "content-type": "application/octet-stream" };

/** The recipe on a free port, with its own folder. */
class TestServer implements AsyncDisposable {
  readonly folder: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(
    folder: string,
    server: Deno.HttpServer<Deno.NetAddr>,
  ) {
    this.folder = folder;
    this.#server = server;
  }

  static async start(): Promise<TestServer> {
    const folder = await Deno.makeTempDir();
    await openFolder(folder);
    const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
    return new TestServer(folder, await app.serve(options));
  }

  get port(): number {
    return this.#server.addr.port;
  }

  get files(): string[] {
    return this.#namesIn(this.folder).filter((name) => name !== ".unfinished");
  }

  get unfinished(): string[] {
    return this.#namesIn(`${this.folder}/.unfinished`);
  }

  #namesIn(path: string): string[] {
    return [...Deno.readDirSync(path)].map(({ name }) => name);
  }

  post(body: BodyInit | null, headers: HeadersInit = TYPE): Promise<Response> {
    return this.fetch("/api/files", { method: "POST", body, headers });
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, init);
    const bytes = await response.bytes();
    return new Response(bytes.length > 0 ? bytes : null, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await Deno.remove(this.folder, { recursive: true });
  }
}

function zeros(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 65_536);
      if (size === 0) return controller.close();
      left -= size;
      controller.enqueue(new Uint8Array(size));
    },
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let count = 0; !isTrue(); count++) {
    assert(count < 1_000, "The condition did not hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

Deno.test("a download equals the upload", async () => {
  await using server = await TestServer.start();
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const created = await server.post(bytes);
  assertEquals(created.status, 201);
  const location = created.headers.get("location")!;
  assertMatch(location, /^\/api\/files\/[0-9a-f-]{36}$/);
  assertEquals((await created.json()).bytes, bytes.length);
  const got = await server.fetch(location);
  assertEquals(await got.bytes(), bytes);
  const id = location.split("/").at(-1)!;
  assertEquals(
    got.headers.get("content-disposition"),
    `attachment; filename="${id}"`,
  );
  assertEquals(server.files, [id]);
});

Deno.test("the limit holds for uploads without Content-Length", async () => {
  await using server = await TestServer.start();
  const largest = await server.post(zeros(10_000_000));
  assertEquals(largest.status, 201);
  assertEquals((await largest.json()).bytes, 10_000_000);
  const tooLarge = await server.post(zeros(10_000_001));
  assertEquals(tooLarge.status, 413);
  assertEquals(server.files.length, 1);
});

Deno.test("a large Content-Length gets 413 before the body arrives", async () => {
  await using server = await TestServer.start();
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  await connection.write(head(10_000_001));
  const buffer = new Uint8Array(1_000);
  const count = await connection.read(buffer);
  assertMatch(
    new TextDecoder().decode(buffer.subarray(0, count!)),
    /^HTTP\/1\.1 413 /,
  );
  assertEquals(server.files, []);
});

Deno.test("an upload whose client disconnects leaves no file", async () => {
  await using server = await TestServer.start();
  const errors: unknown[] = [];
  const { error } = console;
  console.error = (...values) => errors.push(values);
  try {
    const connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: server.port,
    });
    await connection.write(head(1_000));
    await connection.write(new Uint8Array(500));
    await until(() => server.unfinished.length === 1);
    connection.close();
    await until(() => server.unfinished.length === 0);
    assertEquals(server.files, []);
    await server.fetch("/api/files/1");
  } finally {
    console.error = error;
  }
  assertEquals(errors, []); // disconnecting is not an error of the server
});

function head(length: number): Uint8Array {
  return new TextEncoder().encode(
    "POST /api/files HTTP/1.1\r\nHost: localhost\r\n" +
      `Content-Type: ${
        TYPE["content-type"]
      }\r\nContent-Length: ${length}\r\n\r\n`,
  );
}

Deno.test("a client can neither choose a file name nor send a form", async () => {
  await using server = await TestServer.start();
  for (const id of ["1", "..%2Fmain.ts", "%2e%2e", ".unfinished%2Fx"]) {
    const { status } = await server.fetch(`/api/files/${id}`);
    assert(status === 400 || status === 404, `${id}: ${status}`);
  }
  const unknown = await server.fetch(`/api/files/${crypto.randomUUID()}`);
  assertEquals(unknown.status, 404);
  const form = new FormData();
  form.set("file", new File(["x"], "../../main.ts"));
  assertEquals((await server.post(form, {})).status, 415);
  assertEquals(server.files, []);
});

Deno.test("startup removes incomplete files after a crash", async () => {
  await using server = await TestServer.start();
  const left = ".unfinished/left";
  await Deno.writeTextFile(`${server.folder}/${left}`, "half");
  await Deno.utime(`${server.folder}/${left}`, 0, 0);
  await Deno.writeTextFile(`${server.folder}/2`, "whole");
  await openFolder(server.folder);
  assertEquals([server.files, server.unfinished], [["2"], []]);
});
