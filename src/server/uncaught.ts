import { logError } from "../common/log_error.ts";

/** How many servers and applications need the process to go on. */
let holders = 0;

/**
 * Logs uncaught errors, say of a timer, a listener or a promise that nothing awaits,
 * instead of letting them end the process. Each error is logged once, however many
 * callers there are. Errors that a listener of the program handled, by
 * `preventDefault()`, are not logged.
 *
 * @returns A function that undoes this; it lasts as long as other callers need it.
 */
export function surviveUncaughtErrors(): () => void {
  if (holders++ === 0) {
    // Other hosts, such as Node, have no such events.
    globalThis.addEventListener?.("error", onError);
    globalThis.addEventListener?.("unhandledrejection", onRejection);
  }
  return () => {
    if (--holders > 0) return;
    globalThis.removeEventListener("error", onError);
    globalThis.removeEventListener("unhandledrejection", onRejection);
  };
}

function onError(event: ErrorEvent): void {
  if (event.defaultPrevented) return;
  event.preventDefault();
  // Of an error in a worker, only the message arrives.
  logError("an error was thrown and not caught:", event.error ?? event.message);
}

function onRejection(event: PromiseRejectionEvent): void {
  if (event.defaultPrevented || endsServer(event.reason)) return;
  event.preventDefault();
  logError("a promise was rejected and not handled:", event.reason);
}

/**
 * Whether this is the end of a server of Deno's that can accept no connection, say
 * for want of file descriptors. `app.serve()` looks after its own; nobody listens
 * again for `deno serve`, and a process that went on without would be of no use:
 * whoever runs it has to start it again.
 */
function endsServer(reason: unknown): boolean {
  try {
    return reason instanceof Deno.errors.Http &&
      /\(os error \d+\)\n +at ext:deno_http\//.test(reason.stack!);
  } catch {
    // A hostile value, or another host than Deno.
    return false;
  }
}
