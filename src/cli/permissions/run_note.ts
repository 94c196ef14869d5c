import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { auditedArgs } from "./audited_command.ts";

/** How the names of variables begin that tell the audit which program was run. */
export const RUN_NOTE = "BOUGH_RUN_";
/** The same for the working directory of a process; nothing stands for that of all. */
export const FOLDER_NOTE = "BOUGH_FOLDER_";

/** What a child process needs to be audited. */
export interface Audit {
  /** The folder of the logs. */
  readonly logs: string;
  /** The URL of the preload. */
  readonly preload: string;
}

let audit: Audit | undefined;

/** Sets up the audit of child processes. */
export function beginAudit(own: Audit): void {
  audit = own;
  note(FOLDER_NOTE, workingFolder());
}

/** The working directory; nothing if it is not permitted to know it. */
function workingFolder(): string {
  try {
    return Deno.cwd();
  } catch {
    return "";
  }
}

/** Tells the audit that a program is run, along with the stack of the caller. */
export function noteRun(program: string): void {
  note(RUN_NOTE, program);
}

/** A look at a variable is in the audit with its stack, whether it is permitted. */
function note(prefix: string, value: string): void {
  try {
    Deno.env.get(prefix + encodeURIComponent(value));
  } catch {
    // Refused, and logged.
  }
}

/**
 * The variables that give a child process a log of its own: it would truncate that of
 * its parent.
 */
export function childEnv(): Record<string, string> {
  return {
    DENO_AUDIT_PERMISSIONS: `${audit!.logs}/${crypto.randomUUID()}.jsonl`,
    DENO_TRACE_PERMISSIONS: "1",
  };
}

/** The arguments of a child process: with the preload, if it is Deno. */
export function childArgs(
  program: string,
  args: readonly string[] = [],
  folder: string | URL = ".",
): string[] {
  if (!/(?:^|[\\/])deno(?:\.exe)?$/.test(program)) return [...args];
  const { preload } = audit!;
  try {
    const cwd = folder instanceof URL ? fileURLToPath(folder) : resolve(folder);
    return auditedArgs(args, { preload, cwd, allowAll: false });
  } catch {
    // To know the working directory is not permitted.
    return [...args];
  }
}
