import { assertEquals } from "@std/assert";
import {
  type OpenConnection,
  OpenConnections,
} from "../../../src/core/request/connections.ts";

class Connection implements OpenConnection {
  readonly calls: string[];
  constructor(calls: string[]) {
    this.calls = calls;
  }
  closeGracefully(): Promise<void> {
    this.calls.push("close");
    return Promise.resolve();
  }
  end(): void {
    this.calls.push("end");
  }
}

Deno.test("sockets close before a server stops listening, and streams end later (behaviour 11.4)", async () => {
  const connections = new OpenConnections();
  const calls: string[] = [];
  connections.add(new Connection(calls));
  connections.add({ end: () => calls.push("end of a stream") });
  const removed = new Connection(calls);
  connections.add(removed);
  connections.remove(removed);
  assertEquals(connections.closing, false);
  const closing = connections.close(() => {
    calls.push("shutdown");
    return Promise.resolve();
  });
  assertEquals(connections.closing, true);
  await closing;
  assertEquals(connections.closing, false);
  assertEquals(calls, ["close", "shutdown", "end", "end of a stream"]);
});

Deno.test("a connection that a request opens during shutdown ends at once (behaviour 11.4)", async () => {
  const connections = new OpenConnections();
  const calls: string[] = [];
  const running = Promise.withResolvers<void>();
  const closing = connections.close(() => running.promise);
  connections.add(new Connection(calls));
  assertEquals(calls, ["end"]);
  running.resolve();
  await closing;
  connections.add(new Connection(calls));
  assertEquals(calls, ["end"]);
});

Deno.test("a restarting server closes its sockets, and keeps its streams (behaviour 9.5)", async () => {
  const connections = new OpenConnections();
  const calls: string[] = [];
  connections.add({
    closeGracefully: (restarts) => {
      calls.push(`close ${restarts}`);
      return Promise.resolve();
    },
    end: () => calls.push("end"),
  });
  connections.add({ end: () => calls.push("end of a stream") });
  const restarting = connections.restart(() => {
    calls.push("shutdown");
    return Promise.resolve();
  });
  // The next server accepts new connections.
  assertEquals(connections.closing, false);
  await restarting;
  assertEquals(calls, ["close true", "shutdown"]);
});

Deno.test("a failed shutdown leaves no state", async () => {
  const connections = new OpenConnections();
  await connections.close(() => Promise.reject(new Error("no"))).catch(
    () => {},
  );
  assertEquals(connections.closing, false);
  const calls: string[] = [];
  connections.add(new Connection(calls));
  assertEquals(calls, []);
});
