/**
 * The program that the soak test puts under load, on any free port or on the given
 * one. It runs with the permissions that `bough permissions` wrote for it: to read its
 * routes, to listen, and to call itself.
 *
 *     deno run -P=soak --v8-flags=--expose-gc tests/instruments/soak/server.ts [port]
 */
import { createApplication } from "./application.ts";

export const app = createApplication();

if (import.meta.main) {
  await app.serve({
    hostname: "127.0.0.1",
    port: Number(Deno.args[0] ?? 0),
    onListen: ({ port }) =>
      console.log(`Process ${Deno.pid} listens on port ${port}.`),
  });
}
