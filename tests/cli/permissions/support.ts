import type { Permission } from "../../../src/core/start/permissions.ts";
import type { PermissionKind } from "../../../src/core/types/permissions.ts";

/** The root of the file system. */
export const ROOT: string = Deno.build.os === "windows" ? "C:\\" : "/";

/** Permissions of one kind, for several values. */
export function permissionsOf(
  kind: PermissionKind,
  ...values: readonly (string | true)[]
): Permission[] {
  return values.map((value) => ({ kind, value }));
}

/** A value of `--time` that ends when the command of `--from` has printed a word. */
export class TimeLimit implements Disposable {
  readonly seconds: number = 2_000_000;
  readonly #setTimeout = setTimeout;
  readonly #writeSync = Deno.stderr.writeSync;

  constructor(word: string) {
    let expire = () => {};
    const start = (run: () => void, milliseconds?: number) => {
      if (milliseconds !== this.seconds * 1_000) {
        return this.#setTimeout(run, milliseconds);
      }
      expire = run;
      return this.#setTimeout(() => {});
    };
    Object.assign(globalThis, { setTimeout: start });
    Deno.stderr.writeSync = (bytes) => {
      if (new TextDecoder().decode(bytes).includes(word)) expire();
      return bytes.length;
    };
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, { setTimeout: this.#setTimeout });
    Deno.stderr.writeSync = this.#writeSync;
  }
}
