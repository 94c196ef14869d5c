import { assertEquals } from "@std/assert";
import {
  type OpenConnection,
  OpenConnections,
} from "../../../src/core/request/connections.ts";

/** A socket and a stream, which record their calls. */
function recorded() {
  const connections = new OpenConnections();
  const calls: string[] = [];
  const record = (call: string) => {
    calls.push(call);
    return Promise.resolve();
  };
  const socket: OpenConnection = {
    closeGracefully: (restarts) => record(`close ${restarts ?? false}`),
    end: () => void record("end"),
  };
  const stream: OpenConnection = { end: () => void record("end of a stream") };
  return { connections, calls, record, socket, stream };
}

Deno.test("sockets close before a server stops listening, and streams end later; a restart keeps streams (behaviour 9.5, 11.4)", async () => {
  for (const restarts of [false, true]) {
    const { connections, calls, record, socket, stream } = recorded();
    connections.add(socket);
    connections.add(stream);
    const removed = { ...socket };
    connections.add(removed);
    connections.remove(removed);
    assertEquals(connections.closing, false);
    const shutdown = () => record("shutdown");
    const ending = restarts
      ? connections.restart(shutdown)
      : connections.close(shutdown);
    // The next server accepts new connections.
    assertEquals(connections.closing, !restarts);
    await ending;
    assertEquals(connections.closing, false);
    assertEquals(calls, [
      ...[`close ${restarts}`, "shutdown"],
      ...restarts ? [] : ["end", "end of a stream"],
    ]);
  }
});

Deno.test("a connection that a request opens during shutdown ends at once; a failed shutdown leaves no state (behaviour 11.4)", async () => {
  const { connections, calls, socket } = recorded();
  const running = Promise.withResolvers<void>();
  const closing = connections.close(() => running.promise);
  connections.add(socket);
  assertEquals(calls, ["end"]);
  running.reject(new Error("no"));
  await closing.catch(() => {});
  assertEquals(connections.closing, false);
  connections.add(socket);
  assertEquals(calls, ["end"]);
});
