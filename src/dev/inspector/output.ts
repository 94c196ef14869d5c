import { format } from "node:util";
import { entryText, watchLog } from "../../core/common/log.ts";

/** The methods of `console` that print their arguments. */
const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;

type OnLine = (level: string, text: string) => void;

/**
 * Passes the lines that Bough logs, and those that the program prints with `console`, to a
 * listener, which must not throw. The lines appear as before.
 *
 * @param isWanted Whether the listener needs the current line. Formatting takes time.
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
      // While `format()` inspects a value, a method of the program may print, too.
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
