import { join } from "@std/path/join";
import type { Want } from "../../routes/permission_flags.ts";
import { UsageError } from "../command.ts";
import { configOf, type PermissionSet } from "./permission_set.ts";

/** `prompt` if a set has nothing on a permission, `denied` also if it ignores it. */
export type State = "granted" | "denied" | "prompt";

/** The member of a permission that has its value. */
const MEMBERS = {
  read: "path",
  write: "path",
  ffi: "path",
  net: "host",
  import: "host",
  env: "variable",
  sys: "kind",
  run: "command",
};

/**
 * What a permission set grants, by Deno itself: a process that runs under the set.
 *
 * @throws {UsageError} If Deno refuses the set.
 */
export async function statesOf(
  set: PermissionSet,
  wants: readonly Want[],
): Promise<State[]> {
  const questions = wants.map(({ kind, value }) => ({
    name: kind,
    ...(value !== true && { [MEMBERS[kind]]: value }),
  }));
  const folder = await Deno.makeTempDir({ prefix: "bough-matcher-" });
  try {
    const config = join(folder, "deno.json");
    const program = join(folder, "matcher.js");
    const permissions = { set: configOf(set) };
    await Deno.writeTextFile(config, JSON.stringify({ permissions }));
    await Deno.writeTextFile(
      program,
      `console.log(JSON.stringify(${
        JSON.stringify(questions)
      }.map((question) => {
  try {
    return Deno.permissions.querySync(question).state;
  } catch {
    return "prompt"; // No set can name such a value.
  }
})));`,
    );
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      {
        args: ["run", "-P=set", `--config=${config}`, "--no-prompt", program],
        env: { NO_COLOR: "1" },
      },
    ).output();
    const [output, errors] = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    ) as [string, string];
    if (success) return JSON.parse(output);
    const reason = /^error: (.*)/m.exec(errors)?.[1] ?? errors;
    throw new UsageError(`Deno cannot use the permission set: ${reason}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
