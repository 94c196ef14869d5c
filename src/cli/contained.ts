import { ExitError, watchProcess } from "../testing/process_watch.ts";
import { printableLines } from "../common/printable.ts";
import { FINDINGS, keepOutput, MISUSE, printError } from "./command.ts";

/**
 * Runs a command. Its exit code and its standard output are its own, whatever the code
 * of the application does to the process meanwhile.
 *
 * @param name The name of the command, for messages.
 */
export async function contained(
  name: string,
  run: () => Promise<number>,
): Promise<number> {
  using _ = keepOutput();
  const report = (text: string) =>
    printError(`bough ${name}: ${printableLines(text)}`);
  const exit = Promise.withResolvers<never>();
  let isFaulty = false;
  using _watch = watchProcess(({ text, error }) => {
    if (error instanceof ExitError) return exit.reject(error);
    isFaulty = true;
    report(text);
  });
  // Deno ends a program, with 0, when all of it waits and nothing is left to do.
  const onUnload = () => {
    report("the application waits for what never comes");
    Deno.exitCode = MISUSE;
  };
  addEventListener("unload", onUnload);
  try {
    const code = await Promise.race([run(), exit.promise]);
    return isFaulty ? Math.max(code, FINDINGS) : code;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    report(
      `${error.message}, which ends the process; throw an error instead, or call it only if import.meta.main`,
    );
    return MISUSE;
  } finally {
    removeEventListener("unload", onUnload);
  }
}
