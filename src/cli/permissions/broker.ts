import { join } from "@std/path/join";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { PERMISSION_KINDS } from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";

/** The question of a Deno process whether it may use a permission. */
export interface Question {
  readonly pid: number;
  readonly kind: PermissionKind;
  /** The value that Deno sends, such as a relative path; `null` for all values. */
  readonly value: string | null;
}

/** A permission broker of Deno, until it is disposed. */
export interface Broker extends AsyncDisposable {
  /** The variables of a process that asks this broker, as its child processes do. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a process has connected. */
  readonly isUsed: boolean;
}

/**
 * Listens as the permission broker of Deno, which allows everything. A process that asks
 * a broker ignores its own flags.
 *
 * @param ask Receives each question.
 * @param isRunKnown Whether to allow `run` for all programs at once. Otherwise, the
 * broker refuses this question, so that Deno asks for the program. A signal to another
 * process fails then.
 */
export async function listen(
  ask: (question: Question) => void,
  isRunKnown: boolean,
): Promise<Broker> {
  const folder = await Deno.makeTempDir({ prefix: "bough-permissions-" });
  const path = Deno.build.os === "windows"
    ? `\\\\.\\pipe\\bough-${crypto.randomUUID()}`
    : join(folder, "broker");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket, ask, isRunKnown);
  }).listen(path);
  await once(server, "listening");
  return {
    env: { DENO_PERMISSION_BROKER_PATH: path },
    get isUsed() {
      return sockets.size > 0;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      // If a process asks a closed broker, Deno ends the process.
      for (const socket of sockets) socket.destroy();
      await closed;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Implements version 1 of Deno's protocol: one line of JSON for each question. */
function serve(
  socket: Socket,
  ask: (question: Question) => void,
  isRunKnown: boolean,
): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    text += chunk;
    // Deno waits for the answer to one question before it sends the next question.
    if (!text.endsWith("\n")) return;
    const { pid, id, permission, value = null } = JSON.parse(text);
    text = "";
    const kind = PERMISSION_KINDS.find((kind) => kind === permission);
    // Later versions of Deno may add kinds.
    const isAllowed = kind !== undefined &&
      (kind !== "run" || value !== null || isRunKnown);
    if (isAllowed) ask({ pid, kind, value });
    const result = isAllowed ? "allow" : "deny";
    socket.write(`${JSON.stringify({ id, result })}\n`);
  });
}
