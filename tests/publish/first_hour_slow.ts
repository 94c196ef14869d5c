/** The path of a new user: the steps of `src/guide/first_hour.md`, in an empty folder. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Published } from "./published.ts";
import { TestFolder } from "../support/application.ts";
import { curl } from "../support/curl.ts";
import { Page, type Step } from "../support/pages.ts";
import { freePort } from "../support/process.ts";
import { delay } from "../support/until.ts";

const PAGE = "src/guide/first_hour.md";
/** The page only names this command. The server then starts with what it recorded. */
const RECORD: Step = {
  heading: "Check the project",
  line: "deno task permissions",
  shown: ["recorded permissions with -P=serve"],
};
/** Commands that serve until a signal ends them. */
const SERVES = /^(?:STAFF_TOKEN=\w+ )?deno task (?:dev|start)$/;
/** The longest wait for a server, in milliseconds. */
const PATIENCE = 60_000;

/** A user in a terminal, who follows a page. */
class User implements AsyncDisposable {
  readonly #folder: TestFolder;
  readonly #port = freePort();
  #cwd: string;
  #server: Server | undefined;

  constructor(folder: TestFolder) {
    this.#folder = folder;
    this.#cwd = folder.path;
  }

  async do(step: Step): Promise<void> {
    if ("code" in step) {
      const path = join(this.#cwd, step.file);
      await Deno.mkdir(join(path, ".."), { recursive: true });
      return await Deno.writeTextFile(path, step.code);
    }
    let printed = await this.#type(step.line);
    // The watcher may not have restarted the server yet.
    for (let tries = 0; tries < 200 && !step.shown.every(isIn); tries++) {
      if (!step.line.startsWith("curl ")) break;
      await delay(50);
      printed = await this.#type(step.line);
    }
    function isIn(text: string): boolean {
      return printed.includes(text);
    }
    for (const text of step.shown) {
      assert(
        printed.includes(text),
        `${step.line}\nshould print\n${text}\nbut prints\n${printed}`,
      );
    }
    // Without a failure on the page, the command must succeed.
    assert(
      !/^error|FAILED/m.test(printed) || /FAILED/.test(step.shown.join()),
      printed,
    );
  }

  async #type(line: string): Promise<string> {
    // The port of the page may be in use on this machine.
    if (line.startsWith("curl ")) {
      return (await curl(line, this.#port)).join("\n");
    }
    if (line.startsWith("cd ")) {
      this.#cwd = join(this.#cwd, line.slice("cd ".length));
      return "";
    }
    const env = this.#environment();
    if (SERVES.test(line)) return await this.#serve(line, env);
    // Without a terminal, Deno cannot ask for a confirmation.
    const asked = line.replace("deno create ", "deno create --yes ");
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", asked],
      cwd: this.#cwd,
      env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return decoder.decode(stdout) + decoder.decode(stderr);
  }

  #environment(): Record<string, string> {
    const root = join(this.#folder.path, "installed");
    const path = [
      join(root, "bin"),
      join(Deno.execPath(), ".."),
      Deno.env.get("PATH"),
    ];
    return {
      ...published.env,
      DENO_INSTALL_ROOT: root,
      PATH: path.join(":"),
      PORT: String(this.#port),
      HOST: "127.0.0.1",
    };
  }

  async #serve(command: string, env: Record<string, string>): Promise<string> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = new Server(command, this.#cwd, env);
    return await this.#server.printed(`http://127.0.0.1:${this.#port}/`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** A command that serves, and all processes that it starts. */
class Server implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  #output = "";

  constructor(command: string, cwd: string, env: Record<string, string>) {
    this.#child = new Deno.Command("sh", {
      args: ["-c", command],
      cwd,
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    this.#reading = Promise.all(
      [this.#child.stdout, this.#child.stderr].map(async (stream) => {
        const decoder = new TextDecoder();
        for await (const chunk of stream) this.#output += decoder.decode(chunk);
      }),
    );
  }

  /** Waits until the command has printed a text, and returns its output. */
  async printed(text: string): Promise<string> {
    const end = Date.now() + PATIENCE;
    while (!this.#output.includes(text)) {
      assert(Date.now() < end, `"${text}" is not in\n${this.#output}`);
      await delay(20);
    }
    return this.#output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The shell and its processes are one group, which ends together.
    Deno.kill(-this.#child.pid, "SIGKILL");
    await this.#child.status;
    await this.#reading;
  }
}

// Slow: it publishes the package, follows a page, and waits for the types of a project.
const published = await Published.create();
Deno.test.afterAll(() => published[Symbol.asyncDispose]());

Deno.test({
  name: "a new user gets from an empty folder to a deployed program",
  ignore: Deno.build.os === "windows",
  async fn() {
    const page = (await Page.all()).find(({ path }) => path === PAGE)!;
    const start = page.steps.findIndex((step) =>
      "line" in step && step.line.endsWith("deno task start")
    );
    assert(start > 0);
    const steps = page.steps.toSpliced(start, 0, RECORD);
    await using folder = await TestFolder.create({});
    await using user = new User(folder);
    const times: string[] = [];
    const begin = performance.now();
    for (const step of steps) {
      const start = performance.now();
      await user.do(step);
      const seconds = (performance.now() - start) / 1000;
      const what = "code" in step ? `write ${step.file}` : step.line;
      times.push(`${seconds.toFixed(1).padStart(6)} s  ${what.slice(0, 70)}`);
    }
    const all = (performance.now() - begin) / 1000;
    console.log([...times, `${all.toFixed(1).padStart(6)} s  all`].join("\n"));
    assertEquals(
      steps.filter((step) => "code" in step).map(({ file }) => file),
      [
        "count_test.ts",
        "api/notes/database.ts",
        "api/notes/route.ts",
        "api/(staff)/notes/count/route.ts",
      ],
    );
  },
});

Deno.test({
  name: "deno task dev reports a wrong type, and serves nevertheless",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({});
    const args = ["create", "--yes", "jsr:@bough/framework", "--", "made"];
    const { code, output } = await published.deno(folder.path, args);
    assertEquals(code, 0, output);
    await folder.write(
      "made/api/wrong/route.ts",
      "export const GET = (): Response => new Response(1 as string);",
    );
    const port = String(freePort());
    await using server = new Server(
      "deno task dev",
      join(folder.path, "made"),
      { ...published.env, PORT: port, HOST: "127.0.0.1" },
    );
    await server.printed(`http://127.0.0.1:${port}/`);
    await server.printed("TS2352");
    await server.printed("Type checking failed");
    const response = await fetch(`http://127.0.0.1:${port}/api/health`);
    assertEquals(await response.json(), { healthy: true });
    const docs = await fetch(`http://127.0.0.1:${port}/docs`);
    assert((await docs.text()).includes("<title>Notes"));
  },
});
