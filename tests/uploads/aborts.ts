import { assert, assertEquals } from "@std/assert";
import { deflateSync, gzipSync } from "node:zlib";
import { delay, until } from "../support/until.ts";
import { DenoProcess } from "../support/process.ts";
import { filesIn, uploadApplication } from "./support.ts";

const ENCODER = new TextEncoder();
const FORM =
  `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nEmma\r\n` +
  ["one", "two"].map((name) =>
    `--b\r\nContent-Disposition: form-data; name="photo"; filename="${name}.png"\r\n` +
    `Content-Type: image/png\r\n\r\n${"x".repeat(150_000)}\r\n`
  ).join("") + "--b--\r\n";
const FILE = "x".repeat(300_000);

const REQUESTS = [
  requestOf("POST", "multipart/form-data; boundary=b", ENCODER.encode(FORM)),
  requestOf("PUT", "video/mp4", ENCODER.encode(FILE)),
  ...["gzip", "deflate"].flatMap((coding) => {
    const encode = coding === "gzip" ? gzipSync : deflateSync;
    // Without compression, so that a body has many pieces.
    const [form, file] = [FORM, FILE].map((body) => encode(body, { level: 0 }));
    const more = `Content-Encoding: ${coding}\r\n`;
    return [
      requestOf("POST", "multipart/form-data; boundary=b", form!, more),
      requestOf("PUT", "video/mp4", file!, more),
    ];
  }),
];

function requestOf(
  method: string,
  type: string,
  body: Uint8Array,
  more = "",
): Uint8Array<ArrayBuffer> {
  const head = `${method} /api/files HTTP/1.1\r\nHost: x\r\n${more}` +
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return new Uint8Array([...ENCODER.encode(head), ...body]);
}

/** A child process that saves uploads in a folder of its own. */
class Child extends DenoProcess {
  readonly folder: string;
  port = 0;
  #pid = "";

  private constructor(folder: string, shutdownTimeout: number) {
    const args = [folder, String(shutdownTimeout)];
    super(import.meta.dirname!, ["-A"], "aborts.ts", { args });
    this.folder = folder;
  }

  static async start(shutdownTimeout = 300): Promise<Child> {
    const folder = await Deno.makeTempDir({ prefix: "uploads_" });
    const child = new Child(folder, shutdownTimeout);
    await child.printed("listening\n");
    const [port, pid] = child.output.split(" ");
    child.port = Number(port);
    child.#pid = pid!;
    return child;
  }

  get files(): string[] {
    return filesIn(this.folder);
  }

  get temporary(): string[] {
    return this.files.filter((name) => name.startsWith("."));
  }

  /** Waits until files of the folder are open, or none, if the system lists them. */
  async opened(isOpen: boolean): Promise<void> {
    if (Deno.build.os !== "linux") return;
    const args = ["-l", `/proc/${this.#pid}/fd`];
    await until(async () => {
      const { stdout } = await new Deno.Command("ls", { args }).output();
      return new TextDecoder().decode(stdout).includes(this.folder) === isOpen;
    });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A piece of an upload, and the milliseconds until the next one. */
interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pause: number;
}

/** Cuts off a request at random; most of its pieces are small, some have 60,000 bytes. */
function uploadOf(random: () => number): Piece[] {
  const request = REQUESTS[Math.floor(random() * REQUESTS.length)]!;
  const end = Math.floor(random() * request.length);
  const pieces = [];
  for (let start = 0, next; start < end; start = next) {
    next = Math.min(end, start + 1 + Math.floor(random() ** 4 * 60_000));
    const pause = random() < 0.3 ? random() * 5 : 0;
    pieces.push({ bytes: request.slice(start, next), pause });
  }
  return pieces;
}

/** Sends an upload; keeps the connection until `leave` resolves. */
async function send(
  port: number,
  pieces: readonly Piece[],
  leave: Promise<unknown>,
): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  for (const { bytes, pause } of pieces) {
    for (let sent = 0; sent < bytes.length;) {
      sent += await connection.write(bytes.subarray(sent));
    }
    if (pause > 0) await delay(pause);
  }
  await leave;
}

/** Pseudo-random numbers from 0 to 1, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Breaks off uploads at random moments, and asserts that no file remains. */
export async function assertAborts(count: number, seed: number): Promise<void> {
  await using child = await Child.start();
  const random = randomOf(seed);
  for (let left = count; left > 0; left -= 10) {
    const leave = Promise.withResolvers<void>();
    const uploads = Array.from(
      { length: Math.min(10, left) },
      () => send(child.port, uploadOf(random), leave.promise),
    );
    // Half of the uploads leave at once, the others while their files are open.
    if (left % 20 === 0) {
      await until(() => child.temporary.length > 0);
      await child.opened(true);
    }
    leave.resolve();
    await Promise.all(uploads);
  }
  await until(() => child.files.length === 0);
  await child.opened(false);
  const lines = child.output.split("\n").filter((line) => line.startsWith("["));
  assert(
    lines.length <= count,
    `${lines.length} lines: ${child.output.slice(0, 2_000)}`,
  );
  const health = await fetch(`http://127.0.0.1:${child.port}/api/health`);
  assertEquals(await health.text(), "up");
}

/** Stops a process during uploads, and asserts that no temporary file remains. */
export async function assertStop(seed: number): Promise<void> {
  await using child = await Child.start(20 + 10 * (seed % 5));
  const random = randomOf(seed);
  const stopped = Promise.withResolvers<void>();
  const uploads = Array.from(
    { length: 6 },
    () => send(child.port, uploadOf(random), stopped.promise).catch(() => {}),
  );
  await until(() => child.temporary.length > 0);
  await delay(random() * 50);
  child.kill("SIGTERM");
  await child.outcome();
  stopped.resolve();
  await Promise.all(uploads);
  assertEquals(child.temporary, []);
}

/** The program of a child: `aborts.ts <folder> <shutdownTimeout>`. */
if (import.meta.main) {
  const [folder, timeout] = Deno.args;
  const app = await uploadApplication(folder!, { maxSize: 1e9 });
  await app.serve({
    port: 0,
    hostname: "127.0.0.1",
    shutdownTimeout: Number(timeout),
    onListen: ({ port }) => console.log(`${port} ${Deno.pid} listening`),
  });
}
