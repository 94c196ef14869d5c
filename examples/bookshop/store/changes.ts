/** Wake those who wait for orders. */
const sleepers = new Set<() => void>();

/** Wakes all who wait for a change of the orders. To call after the commit. */
export function announceChange(): void {
  for (const wake of sleepers) wake();
}

/**
 * Waits for the next change of the orders, or until the signal aborts. It hears of
 * the changes of this process alone; where several share a database, they have to
 * tell each other, say by `LISTEN` and `NOTIFY` of PostgreSQL.
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
