import { fromFileUrl } from "@std/path";

const COMMAND = fromFileUrl(new URL("../../src/cli/mod.ts", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** What a run of the command left. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bough` as a user does, in a folder. */
export async function bough(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", CONFIG, COMMAND, ...args],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout).trimEnd(),
    stderr: decoder.decode(stderr).trimEnd(),
  };
}
