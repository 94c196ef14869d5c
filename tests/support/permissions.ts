/** Replaces `Deno.permissions` until it is disposed. */
export class FakePermissions implements Disposable {
  readonly queried: Deno.PermissionDescriptor[] = [];
  readonly #before = Deno.permissions;

  /**
   * Grants permissions.
   *
   * @param granted The names of permissions, and the variables of the environment.
   */
  constructor(granted: readonly string[] | undefined) {
    const querySync = (descriptor: Deno.PermissionDescriptor) => {
      this.queried.push(descriptor);
      const { name, variable = "" } =
        descriptor as Deno.EnvPermissionDescriptor;
      const isGranted = granted?.includes(name) || granted?.includes(variable);
      return { state: isGranted ? "granted" : "prompt" };
    };
    this.#replace(granted && { querySync });
  }

  #replace(value: unknown): void {
    Object.defineProperty(Deno, "permissions", { value, configurable: true });
  }

  [Symbol.dispose](): void {
    this.#replace(this.#before);
  }
}
