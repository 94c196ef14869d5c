/** Whether an error is that of an aborted signal; false if it cannot be looked at. */
export function isAbort(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === "AbortError";
  } catch {
    return false;
  }
}
