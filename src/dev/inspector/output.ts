import { format } from "node:util";
import { entryText, watchLog } from "../../core/common/log.ts";

/** The methods of `console` that print their arguments. */
const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;

/** Receives a line of the log. */
type OnLine = (level: string, text: string) => void;

/**
 * Passes what Bough logs, and what the program prints with `console`, to a listener. Both
 * appear as before. The listener must not throw.
 *
 * @param isWanted Whether the listener needs the current line, since formatting a line
 * takes time.
 */
export function watchOutput(isWanted: () => boolean, onLine: OnLine): void {
  /** The text that Bough prints next, which the listener already received. */
  let logged: string | undefined;
  let isFormatting = false;
  watchLog((entry) => {
    if (isWanted()) {
      const text = entryText(entry);
      logged = `[bough] ${text}`;
      onLine(entry.level, text);
    }
    return true;
  });
  for (const method of METHODS) {
    const print = console[method];
    console[method] = (...values: unknown[]) => {
      const isLogged = logged !== undefined && values[0] === logged;
      logged = undefined;
      // The program's own inspection of a value may print as well.
      if (!isLogged && !isFormatting && isWanted()) {
        isFormatting = true;
        try {
          onLine(method, format(...values));
        } catch {
          // The value cannot be inspected.
        } finally {
          isFormatting = false;
        }
      }
      print.apply(console, values);
    };
  }
}
