/** Functions that wake the readers of orders. */
const sleepers = new Set<() => void>();

/** Wakes all readers of orders. Call it after the commit. */
export function announceChange(): void {
  for (const wake of sleepers) wake();
}

/**
 * Waits for the next change of the orders in this process, or until the signal aborts.
 * Processes that share a database need messages, such as `LISTEN` and `NOTIFY` of
 * PostgreSQL.
 */
export function nextChange(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function wake(): void {
      sleepers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    }
    sleepers.add(wake);
    signal.addEventListener("abort", wake);
  });
}
