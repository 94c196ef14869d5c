import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { RestartingProgram } from "./support.ts";

const MAIN = `
import { Framework } from "@bough/framework";

export const app = new Framework({
  apiDir: "api",
  middleware: [(_request, next) => next()],
});
`;

const DEV = `
import { inspector } from "@bough/framework/dev";
import { app } from "./main.ts";

await inspector(app);
await app.serve({
  hostname: "127.0.0.1",
  port: Number(Deno.env.get("PORT")),
});
`;

const FILES: Readonly<Record<string, string>> = {
  "main.ts": MAIN,
  "dev.ts": DEV,
  "api/books/route.ts": `
import { z } from "zod";

export const schema = {
  get: { query: z.object({ limit: z.coerce.number().default(10) }) },
  post: {
    body: z.object({
      title: z.string().min(1),
      cents: z.int(),
      author: z.object({ email: z.email() }),
    }),
  },
};
export const GET = () => Response.json({ title: "Emma" });
export const POST = () => new Response(null, { status: 201 });
`,
  "api/books/[id]/pages/route.ts": `export const GET = () => new Response();`,
  "api/(staff)/middleware.ts": `
import { HttpError } from "@bough/framework";

export const contract = { security: [{ bearer: [] }] };
export default (request, next) => {
  if (request.headers.get("authorization") !== "Bearer k3y-of-ada") {
    throw new HttpError(401, "A token is required");
  }
  return next();
};
`,
  "api/(staff)/orders/route.ts": `
export const GET = () => Response.json([1, 2]);
`,
  "api/broken/route.ts": `
export function GET() {
  const order = undefined;
  return Response.json(order.status);
}
`,
  "api/ticks/route.ts": `
import { events } from "@bough/framework/live";
import { z } from "zod";

export const schema = { get: { events: { tick: z.int() } } };
export const GET = (request) =>
  events(request, async function* () {
    for (const data of [1, 2]) yield { event: "tick", data };
  });
`,
  "api/chat/route.ts": `
import { socket } from "@bough/framework/live";
import { z } from "zod";

export const schema = { get: { socket: { receive: z.string(), send: z.string() } } };
export const GET = (request) =>
  socket(request, { message: (text, socket) => socket.send(text + "!") });
`,
  "api/covers/route.ts": `
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";

export const schema = {
  post: {
    body: form({
      fields: z.object({ title: z.string() }),
      files: { cover: file({ maxSize: "1MiB" }) },
    }),
  },
};
export async function POST(request) {
  let bytes = 0;
  for await (const { stream } of request.validated.body.files) {
    for await (const chunk of stream) bytes += chunk.length;
  }
  return Response.json({ bytes });
}
`,
  "api/old/route.ts": `
export const schema = { get: { deprecated: true } };
export const GET = () => new Response("old");
`,
};

/** An application with the inspector. */
export class InspectedApp extends RestartingProgram {
  static async open(): Promise<InspectedApp> {
    const app = new InspectedApp(await TestFolder.create(FILES));
    await app.run(app.folder.path, "dev.ts");
    return app;
  }

  get page(): string {
    return `${this.origin}/_bough`;
  }

  /** Changes files, and restarts as the watcher of Deno does. */
  async restart(files: Readonly<Record<string, string | null>>): Promise<void> {
    await this.stop();
    for (const [name, content] of Object.entries(files)) {
      if (content === null) await Deno.remove(join(this.folder.path, name));
      else await this.folder.write(name, content);
    }
    await this.run(this.folder.path, "dev.ts");
  }

  /** Sends a request as another client, and returns its status. */
  async send(path: string, init: RequestInit = {}): Promise<number> {
    const response = await fetch(this.origin + path, init);
    await response.bytes();
    return response.status;
  }

  post(path: string, value: unknown): Promise<number> {
    return this.send(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    });
  }

  /** Sends a message over a socket, and closes the socket after the answer. */
  async chat(text: string): Promise<void> {
    const socket = new WebSocket(`${this.origin}/api/chat`);
    const closed = Promise.withResolvers<void>();
    socket.onopen = () => socket.send(JSON.stringify(text));
    socket.onmessage = () => socket.close(4000, "enough");
    socket.onclose = () => closed.resolve();
    await closed.promise;
  }

  /** Runs a test in the folder of the application, and returns its exit code. */
  async test(name: string, text: string): Promise<number> {
    await this.folder.write(name, text);
    await using process = new DenoProcess(this.folder.path, ["-A"], name, {
      command: "test",
      env: { PORT: String(this.port) },
    });
    const { code, output } = await process.outcome();
    assertEquals(/running 1 test/.test(output), true, output);
    return code;
  }
}
