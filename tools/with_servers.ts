/**
 * Runs Deno if servers of the system are installed:
 * `with_servers.ts nginx redis-server -- test tests/`. It installs none; if one is
 * missing, it says how to get it, and exits with 2.
 */

import { isInstalled, PATH } from "./installed.ts";

const end = Deno.args.indexOf("--");
const programs = Deno.args.slice(0, end);
const args = Deno.args.slice(end + 1);
const missing = programs.filter((program) => !isInstalled(program));
if (missing.length > 0) {
  console.error(
    `with_servers: there is no ${missing.join(", and no ")}.
NOT run: deno ${args.join(" ")}
Install the servers, as root, or add their folders to the PATH:
  Debian, Ubuntu  apt-get install ${missing.join(" ")}`,
  );
  Deno.exit(2);
}
const child = new Deno.Command(Deno.execPath(), { args, env: { PATH } })
  .spawn();
// If this process ended first, its child would keep the servers running.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => child.kill(signal));
}
const { code } = await child.status;
Deno.exit(code);
