/** The `PATH`, with the folders of nginx and Postgres on Debian. */
export const PATH: string = [
  Deno.env.get("PATH") ?? "",
  ...["/usr/sbin", "/usr/local/sbin"],
  ...[18, 17, 16, 15, 14].map((n) => `/usr/lib/postgresql/${n}/bin`),
].join(":");

/** The path of a system program on the `PATH`. */
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
