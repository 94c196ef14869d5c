/** How the message of a fault of the program begins; other errors are Bough's own. */
const FAULT = /^Cannot (?:serve|create|allow|trust)\b/;

/**
 * Leaves only the program's own frames in the stack of an error that tells of a fault
 * of the program: those below its call of a function of the package. The place in
 * Bough where the fault was found says nothing about it. Causes keep their stacks.
 *
 * Call it in that function, or in what it awaits.
 *
 * @param error The error; a `RouteError`, say.
 * @param called The function that the program called.
 * @returns The error.
 */
export function trimStack(
  error: unknown,
  called: Parameters<typeof Error.captureStackTrace>[1],
): unknown {
  // Other engines than V8 may not have it.
  if (error instanceof Error && FAULT.test(error.message)) {
    Error.captureStackTrace?.(error, called);
  }
  return error;
}

/**
 * Leaves no frame in the stack of an error of the system, such as that of a port in
 * use, where it is the cause of a fault: all of them are Bough's or Deno's.
 *
 * @returns The error.
 */
export function dropStack(error: unknown): unknown {
  // Frames are left out down to the call of this function, which has none.
  if (error instanceof Error) Error.captureStackTrace?.(error, notCalled);
  return error;
}

function notCalled(): void {}
