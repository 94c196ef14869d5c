/**
 * A program whose requests run until it gets the signal `SIGUSR2`. Each argument starts
 * a server, with numbers as options: `shutdownDelay=50&shutdownTimeout=Infinity`.
 */
import { draining, Framework } from "@bough/framework";
import * as live from "../../../examples/bookshop/api/health/live/route.ts";
import * as ready from "../../../examples/bookshop/api/health/ready/route.ts";
import { freePort } from "../../support/process.ts";

const finish = new Promise<void>((resolve) =>
  Deno.addSignalListener("SIGUSR2", resolve)
);
const aborted = new Promise((resolve) =>
  draining.addEventListener("abort", resolve)
);

/** Responds with 8,000 bytes when a promise resolves. */
async function respondAfter(promise: Promise<void>): Promise<Response> {
  console.log("begun");
  await promise;
  return new Response("complete".repeat(1_000));
}

const manifest = {
  "route.ts": { GET: () => new Response("hello") },
  "live/route.ts": live,
  "ready/route.ts": ready,
  "slow/route.ts": { GET: () => respondAfter(finish) },
  "hanging/route.ts": { GET: () => respondAfter(new Promise(() => {})) },
  "stream/route.ts": {
    /** Sends 20,000 bytes, most of them after the signal. */
    GET: () => {
      console.log("begun");
      let rest = 20;
      return new Response(
        new ReadableStream({
          async pull(controller) {
            if (rest === 19) await aborted;
            await new Promise((resolve) => setTimeout(resolve));
            controller.enqueue(new Uint8Array(1_000));
            if (--rest === 0) controller.close();
          },
        }),
      );
    },
  },
  "late/route.ts": {
    /** Starts a server at the signal. */
    GET: () => {
      aborted.then(async () => {
        await serve("");
        console.log("late");
      });
      return new Response();
    },
  },
};

async function serve(options: string): Promise<Deno.HttpServer> {
  const numbers = [...new URLSearchParams(options)]
    .map(([name, value]) => [name, Number(value)]);
  const app = new Framework({ manifest });
  return await app.serve({ port: freePort(), ...Object.fromEntries(numbers) });
}

aborted.then(() => console.log(String(draining.reason)));
const servers = await Promise.all(Deno.args.map(serve));
await Promise.all(servers.map(({ finished }) => finished));
console.log("finished");
