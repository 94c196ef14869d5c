/**
 * Starts Redis, three processes of the service, and nginx with the configuration of
 * `examples/proxy/`. Restarts each program that ends, as a supervisor would.
 */
const MAIN = import.meta.resolve("./main.ts");
const RECIPE = new URL("../proxy/nginx.conf", import.meta.url);

/** A program that restarts whenever it ends. */
class Supervised {
  readonly #command: Deno.Command;
  #child: Deno.ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The exit codes so far. */
  readonly codes: number[] = [];

  constructor(program: string, args: string[], readonly log: string, env = {}) {
    const io = { stdin: "null", stdout: "null", stderr: "piped" } as const;
    this.#command = new Deno.Command(program, { args, env, ...io });
    this.start();
  }

  start(): void {
    const child = this.#child = this.#command.spawn();
    // The `writable` of a file would keep all lines in memory until the program ends.
    const write = (text: Uint8Array) =>
      Deno.writeFileSync(this.log, text, { append: true });
    child.stderr.pipeTo(new WritableStream({ write }));
    this.#ended = child.status.then(async ({ code }) => {
      this.codes.push(code);
      await delay(200);
      if (this.#child === child) this.start();
    });
  }

  kill(signal: Deno.Signal): void {
    try {
      this.#child?.kill(signal);
    } catch {
      // It has just ended.
    }
  }

  /** Stops the program until `start()` is called. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    this.kill(signal);
    this.#child = undefined;
    await this.#ended;
  }
}

export class Cluster implements AsyncDisposable {
  readonly redisUrl: string;
  readonly redis: Supervised;
  readonly processes: readonly Supervised[];
  readonly #ports: readonly number[];
  readonly #stack = new AsyncDisposableStack();

  /** Starts everything, with the data of Redis and all logs in a folder. */
  constructor(folder: string, readonly port: number = freePort()) {
    Deno.listen({ hostname: "127.0.0.1", port }).close(); // throws if it is in use
    Deno.chmodSync(folder, 0o755); // an nginx that root starts runs as another user
    const log = `${folder}/errors.log`;
    const run = (program: string, args: string[], env?: object) =>
      this.#stack.adopt(
        new Supervised(program, args, log, env),
        (program) => program.stop(),
      );
    const redisPort = freePort();
    this.redisUrl = `redis://127.0.0.1:${redisPort}`;
    this.redis = run("redis-server", [
      ...["--bind", "127.0.0.1", "--port", `${redisPort}`, "--dir", folder],
      // A confirmed order is on the disk.
      ...["--save", "", "--appendonly", "yes", "--appendfsync", "always"],
    ]);
    this.#ports = [freePort(), freePort(), freePort()];
    this.processes = this.#ports.map((port) =>
      run(Deno.execPath(), [
        ...["run", "--no-prompt", "--allow-read"],
        `--allow-net=127.0.0.1:${port},127.0.0.1:${redisPort}`,
        ...["--allow-env=PORT,HOST,REDIS_URL", MAIN],
      ], { PORT: `${port}`, HOST: "127.0.0.1", REDIS_URL: this.redisUrl })
    );
    const config = `${folder}/nginx.conf`;
    Deno.writeTextFileSync(config, configure(port, this.#ports));
    const globals = "daemon off; pid nginx.pid;";
    run("nginx", ["-p", folder, "-e", "stderr", "-c", config, "-g", globals]);
  }

  /** Waits until each process responds, and then nginx. */
  async ready(): Promise<void> {
    for (const port of [...this.#ports, this.port]) {
      const url = `http://127.0.0.1:${port}/api/health/ready`;
      let text = "";
      while (text !== "ready") {
        await delay(50);
        text = await fetch(url).then((response) => response.text(), () => "");
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** The configuration with these ports. nginx writes only in its own folder. */
function configure(port: number, ports: readonly number[]): string {
  const servers = ports.map((port) =>
    // On one machine, a refused connection costs little, so nginx always tries.
    `server 127.0.0.1:${port} max_fails=0;`
  );
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${name};`);
  return Deno.readTextFileSync(RECIPE)
    .replace("server 127.0.0.1:8000;", servers.join("\n"))
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replace("/var/log/nginx/error.log", "stderr")
    .replace("http {", `http {\n access_log off; ${folders.join(" ")}`);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  await using cluster = new Cluster(folder, 8080);
  console.log(`Data and errors.log: ${folder}`);
  await cluster.ready();
  console.log("Serving http://localhost:8080/api");
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, resolve);
    }
  });
}
