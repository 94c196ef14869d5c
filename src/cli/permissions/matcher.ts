import { join } from "@std/path/join";
import type { Want } from "../../routes/permission_flags.ts";
import { UsageError } from "../command.ts";
import { linesOf } from "./audit.ts";
import { configOf, type PermissionSet } from "./permission_set.ts";

/** `prompt` if a set has nothing on a permission, `denied` also if it ignores it. */
export type State = "granted" | "denied" | "prompt";

/** Answers each line of its input, a permission, with its state. */
const PROGRAM = `${linesOf}
for await (const line of linesOf(Deno.stdin.readable)) {
  try {
    console.log(Deno.permissions.querySync(JSON.parse(line)).state);
  } catch {
    console.log("prompt"); // No set can name such a value.
  }
}`;

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

/** Knows what a permission set grants: asks a process of Deno that runs under it. */
export class Matcher implements AsyncDisposable {
  readonly #folder = Deno.makeTempDirSync({ prefix: "bough-matcher-" });
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #states: AsyncIterator<string, void>;
  readonly #errors: Promise<string>;
  readonly #known = new Map<string, Promise<State>>();

  /** Starts the process. */
  constructor(set: PermissionSet) {
    const [config, program] = ["deno.json", "matcher.js"].map((name) =>
      join(this.#folder, name)
    ) as [string, string];
    const permissions = { set: configOf(set) };
    Deno.writeTextFileSync(config, JSON.stringify({ permissions }));
    Deno.writeTextFileSync(program, PROGRAM);
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-P=set", `--config=${config}`, "--no-prompt", program],
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // What interrupts this process in a terminal would end that one first.
      detached: true,
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#states = linesOf(this.#child.stdout);
    this.#errors = new Response(this.#child.stderr).text();
  }

  /**
   * Whether the set grants a permission.
   *
   * @throws {UsageError} If Deno refuses the set.
   */
  ask({ kind, value }: Want): Promise<State> {
    const question = value === true ? {} : { [MEMBERS[kind]]: value };
    const line = JSON.stringify({ name: kind, ...question });
    const known = this.#known.get(line);
    if (known !== undefined) return known;
    // The process may have ended, which is known from its output.
    this.#input.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
    const state = this.#states.next().then(async ({ value }) => {
      if (value !== undefined) return value as State;
      const reason = /^error: (.*)/m.exec(await this.#errors)?.[1];
      throw new UsageError(`Deno cannot use the permission set: ${reason}`);
    });
    this.#known.set(line, state);
    return state;
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    await Promise.all([this.#child.status, this.#errors]);
    await this.#child.stdout.cancel().catch(() => {});
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** What a set grants of some permissions, in their order. */
export async function statesOf(
  set: PermissionSet,
  wants: readonly Want[],
): Promise<State[]> {
  await using matcher = new Matcher(set);
  return await Promise.all(wants.map((want) => matcher.ask(want)));
}
