/** Debian keeps nginx where the `PATH` of users does not lead. */
export const PATH: string = `${
  Deno.env.get("PATH") ?? ""
}:/usr/sbin:/usr/local/sbin`;

/** Whether a program of the system is on the `PATH`. */
export function isInstalled(program: string): boolean {
  return PATH.split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false;
    }
  });
}
