import { assert } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type { PluginRoute } from "@bough/framework";
import {
  TestApplication,
  TestFolder,
  type TestServer,
} from "../../support/application.ts";
import { freePort } from "../../support/process.ts";

const RECIPE = fromFileUrl(
  new URL("../../../examples/proxy/nginx.conf", import.meta.url),
);

/** Folders for nginx below its own folder, since only root may use the system's. */
const PLACES = "  access_log off;\n" +
  ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${name};\n`).join("");

/** Parts of the recipe, and their replacements. */
export type Changes = Readonly<Record<string, string>>;

/** An application behind nginx with the recipe. */
export interface ProxiedApplication extends AsyncDisposable {
  readonly port: number;
  readonly server: TestServer;
  /** The ports of nginx that requests came from, one for each connection. */
  readonly ports: ReadonlySet<number>;
  url(target: string): string;
}

/**
 * Starts nginx and an application.
 *
 * @param routes Handlers by path; `/api/admin/[id]` is behind a guard.
 * @param changes Changes of the recipe, such as `{ "send_timeout 10s": "send_timeout 1s" }`.
 */
export async function startProxied(
  routes: Readonly<Record<string, PluginRoute["handlers"]>>,
  changes: Changes = {},
): Promise<ProxiedApplication> {
  await using stack = new AsyncDisposableStack();
  const ports = new Set<number>();
  const application = TestApplication.of({
    "admin/middleware.ts": {
      default: () => new Response("guarded", { status: 401 }),
    },
    "admin/[id]/route.ts": { GET: () => new Response("open") },
  }, {
    middleware: [(request, next) => {
      ports.add((request.info!.remoteAddr as Deno.NetAddr).port);
      return next();
    }],
    plugins: [{
      name: "tested",
      routes: () =>
        Object.entries(routes).map(([path, handlers]) => ({ path, handlers })),
    }],
  });
  const server = stack.use(await application.serve());
  const port = freePort();
  const folder = stack.use(await TestFolder.create({}));
  // If root starts nginx, it runs as another user.
  await Deno.chmod(folder.path, 0o755);
  await folder.write(
    "nginx.conf",
    change(await Deno.readTextFile(RECIPE), {
      "127.0.0.1:8000": `127.0.0.1:${server.port}`,
      "127.0.0.1:8080": `127.0.0.1:${port}`,
      "/var/log/nginx/error.log": "stderr",
      "http {\n": `http {\n${PLACES}`,
      ...changes,
    }),
  );
  stack.use(await startNginx(folder.path, port));
  const moved = stack.move();
  return {
    ...{ port, server, ports },
    url: (target) => `http://127.0.0.1:${port}${target}`,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function change(recipe: string, changes: Changes): string {
  let text = recipe;
  for (const [before, after] of Object.entries(changes)) {
    assert(text.includes(before), `The recipe does not say "${before}"`);
    text = text.replaceAll(before, after);
  }
  return text;
}

/** Starts nginx, and waits until it listens. */
async function startNginx(
  folder: string,
  port: number,
): Promise<AsyncDisposable> {
  const child = new Deno.Command("nginx", {
    args: ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")]
      .concat("-g", "daemon off; pid nginx.pid;"),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const output = new Response(child.stderr).text();
  const ended = child.status.then(() => true);
  while (!await listens(port)) {
    const pause = new Promise<false>((go) => setTimeout(go, 20, false));
    if (await Promise.race([ended, pause])) {
      throw new Error(`nginx did not start:\n${await output}`);
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await output;
    },
  };
}

async function listens(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Connects to a port, and sends the beginning of a request. */
export async function connect(
  port: number,
  beginning: string,
): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(encode(beginning));
  return connection;
}
