/** Debian keeps nginx and Postgres where the `PATH` of users does not lead. */
export const PATH: string = [
  Deno.env.get("PATH") ?? "",
  ...["/usr/sbin", "/usr/local/sbin"],
  ...[18, 17, 16, 15, 14].map((n) => `/usr/lib/postgresql/${n}/bin`),
].join(":");

/** Where a program of the system is on the `PATH`. */
export function pathOf(program: string): string | undefined {
  return PATH.split(":").map((folder) => `${folder}/${program}`)
    .find((path) => {
      try {
        return Deno.statSync(path).isFile;
      } catch {
        return false;
      }
    });
}

/** Whether a program of the system is on the `PATH`. */
export function isInstalled(program: string): boolean {
  return pathOf(program) !== undefined;
}
