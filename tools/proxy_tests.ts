/**
 * Tests `examples/proxy/nginx.conf` with nginx in front of an application: the
 * nginx that the variable `NGINX` names, or one that is installed. It installs
 * none; without one it says how to get it, and ends with the code 2. Arguments go
 * to `deno test`.
 */

const NO_NGINX = 2;
const HOW_TO_GET_IT =
  `Install nginx, and set NGINX to its path if it is not on the PATH:
  Debian, Ubuntu  apt-get install nginx, as root`;

/** Debian keeps it where the `PATH` of users does not lead. */
const FOLDERS = [
  ...(Deno.env.get("PATH") ?? "").split(":"),
  "/usr/sbin",
  "/usr/local/sbin",
];

function findNginx(): string | undefined {
  const given = Deno.env.get("NGINX");
  if (given !== undefined) return given;
  for (const folder of FOLDERS) {
    try {
      if (Deno.statSync(`${folder}/nginx`).isFile) return `${folder}/nginx`;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

const nginx = findNginx();
if (nginx === undefined) {
  console.error(
    `proxy_tests: there is no nginx. The proxy tests were NOT run.\n${HOW_TO_GET_IT}`,
  );
  Deno.exit(NO_NGINX);
}
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "-A",
    ...Deno.args,
    "tests/proxy/clients.ts",
    "tests/proxy/passing_on.ts",
  ],
  env: { NGINX: nginx },
}).spawn().status;
Deno.exit(code);
