import { logError } from "../common/log_error.ts";

/** How many servers and applications want the process to go on. */
let holders = 0;

/**
 * Logs errors that nobody catches, thrown in a timer or listener, say, or by a
 * promise that nobody waits for, instead of letting them end the process. It does
 * so once, however many ask for it, and what a listener of the program's own has
 * dealt with, by `preventDefault()`, is left to that.
 *
 * @returns Lets the process end by them again, unless others want it to go on.
 */
export function surviveUncaughtErrors(): () => void {
  if (holders++ === 0) {
    // Other hosts, such as Node, have no such events.
    globalThis.addEventListener?.("error", onError);
    globalThis.addEventListener?.("unhandledrejection", onRejection);
  }
  return () => {
    if (--holders > 0) return;
    globalThis.removeEventListener?.("error", onError);
    globalThis.removeEventListener?.("unhandledrejection", onRejection);
  };
}

function onError(event: ErrorEvent): void {
  if (event.defaultPrevented) return;
  event.preventDefault();
  // The error of a worker arrives as its message alone.
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
