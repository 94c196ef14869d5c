/** An application whose errors contain strings of its clients. */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { accessLog } from "@bough/framework/log";

type Request = FrameworkRequest<"/[text]">;

const app = new Framework({
  middleware: [accessLog()],
  manifest: {
    "throw/[text]/route.ts": {
      GET: ({ params }: Request) => {
        throw new Error(`no such thing: ${params.text}`);
      },
    },
    "leave/[text]/route.ts": {
      GET: ({ params }: Request) => {
        Promise.reject(params.text);
        setTimeout(() => {
          throw { text: params.text };
        });
        return new Response("ok");
      },
    },
  },
});
await app.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(JSON.stringify({ port })),
});
