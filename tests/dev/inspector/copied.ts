/** The copies of a request, and the programs that run them. */
import { assert } from "@std/assert";
import { copiesOf } from "../../../src/dev/inspector/copies.ts";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { isInstalled } from "../../../tools/installed.ts";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess, type Outcome } from "../../support/process.ts";

export const SHELLS = ["bash", "zsh"].filter(isInstalled);
export const ORIGIN = "http://localhost:8000";

export function copy(
  entry: RequestEntry,
  origin = ORIGIN,
): NonNullable<RequestEntry["copies"]> {
  const { copies, unrepeatable } = copiesOf(entry, origin);
  assert(copies, unrepeatable);
  return copies;
}

/** Runs a program; its standard output may be bytes that are not text. */
export async function run(
  program: string,
  args: readonly string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env"> = {},
): Promise<{ code: number; stdout: Uint8Array; stderr: string }> {
  const command = new Deno.Command(program, { args: [...args], ...options });
  const { code, stdout, stderr } = await command.output();
  return { code, stdout, stderr: new TextDecoder().decode(stderr) };
}

/** Runs `deno test` in a folder. */
export async function denoTest(
  folder: TestFolder,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const options = { command: "test", env } as const;
  const flags = ["--allow-env"];
  await using process = new DenoProcess(folder.path, flags, "", options);
  return await process.outcome();
}
