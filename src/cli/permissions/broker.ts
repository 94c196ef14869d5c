import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { PERMISSION_KINDS } from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";

/** An access that a Deno process requests. */
export interface AccessRequest {
  readonly pid: number;
  readonly kind: PermissionKind;
  /** The value that Deno sends, such as a relative path; `null` for all values. */
  readonly value: string | null;
}

type Decide = (request: AccessRequest) => boolean;

/**
 * Listens as the permission broker of Deno. If the variable
 * `DENO_PERMISSION_BROKER_PATH` of a Deno process contains the path, the process asks
 * this broker, and ignores its own flags. Child processes inherit the variable.
 *
 * @param path The path of a socket, or of a named pipe on Windows.
 * @param connect Returns the function that decides for one process.
 */
export async function listen(
  path: string,
  connect: () => Decide,
): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, connect());
  }).listen(path);
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      // If a process asks a closed broker, Deno ends the process.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Implements version 1 of Deno's protocol: one line of JSON for each request. */
function serve(socket: Socket, decide: Decide): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    text += chunk;
    // Deno waits for the response to one request before it sends the next request.
    if (!text.endsWith("\n")) return;
    const { pid, id, permission, value = null } = JSON.parse(text);
    text = "";
    const kind = PERMISSION_KINDS.find((kind) => kind === permission);
    // Later versions of Deno may add kinds.
    const isAllowed = kind !== undefined && decide({ pid, kind, value });
    const result = isAllowed ? "allow" : "deny";
    socket.write(`${JSON.stringify({ id, result })}\n`);
  });
}
