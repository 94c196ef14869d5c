/**
 * The program that the soak test puts under load, on any free port or on the given
 * one. It needs permission only to read its routes and what they import, and to
 * listen.
 *
 *     deno run --allow-read=tests/soak --allow-net=127.0.0.1
 *       --v8-flags=--expose-gc tests/soak/server.ts [port]
 */
import { createApplication } from "./application.ts";

await createApplication().serve({
  hostname: "127.0.0.1",
  port: Number(Deno.args[0] ?? 0),
  onListen: ({ port }) =>
    console.log(`Process ${Deno.pid} listens on port ${port}.`),
});
