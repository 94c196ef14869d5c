/** The servers that `sockets.ts` compares: `deno run -A server.ts <name>`. */
import { Framework } from "@bough/framework";
import { type LiveSocket, socket } from "@bough/framework/live";
import { z } from "zod";

const Message = z.object({ id: z.number(), text: z.string().max(100) });
type Message = z.infer<typeof Message>;

/** An echo with `Deno.serve`. */
function bare(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}

/** An echo with a schema, which parses, checks and stringifies by hand. */
function byHand(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => {
    const parsed = Message.safeParse(JSON.parse(data));
    if (parsed.success) socket.send(JSON.stringify(parsed.data));
    else socket.close(1008, "It does not fit");
  };
  return response;
}

const bough = await boughHandler();

const HANDLERS: Readonly<Record<string, Deno.ServeHandler>> = {
  bare,
  byHand,
  bough: (request, info) => bough(request, info),
};

/** An application with both echoes. */
async function boughHandler(): Promise<Deno.ServeHandler> {
  const folder = await Deno.makeTempDir();
  const routes: Readonly<Record<string, object>> = {
    "plain/route.ts": {
      GET: (request: Parameters<typeof socket>[0]) =>
        socket(request, {
          message: (data, socket: LiveSocket) => void socket.send(data),
        }),
    },
    "typed/route.ts": {
      schema: { get: { socket: { receive: Message, send: Message } } },
      GET: (request: Parameters<typeof socket>[0]) =>
        socket(request, {
          message: (data, socket) => void socket.send(data),
        }),
    },
  };
  for (const name of Object.keys(routes)) {
    await Deno.mkdir(`${folder}/${name.split("/")[0]}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/${name}`, "");
  }
  const app = new Framework({
    apiDir: folder,
    apiPrefix: "",
    load: (_, path) => Promise.resolve(routes[path]!),
  });
  await app.start();
  await Deno.remove(folder, { recursive: true });
  return app.fetch as Deno.ServeHandler;
}

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(port),
}, HANDLERS[Deno.args[0]!]!);
