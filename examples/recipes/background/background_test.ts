import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type FrameworkRequest, HttpError } from "@bough/framework";
import { fromFileUrl } from "@std/path";
import { BackgroundQueue } from "./background_queue.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const OPTIONS = { limit: 10, concurrency: 2, grace: 1_000 };

/** A request whose response is complete when a promise settles. */
function requestSent(
  completed: Promise<void> = Promise.resolve(),
): Pick<FrameworkRequest, "info"> {
  const remoteAddr = { transport: "tcp", hostname: "::1", port: 1 } as const;
  return { info: { remoteAddr, completed } };
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Whether a server listens on a port. */
async function connects(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

/** The lines that `console.error` prints while something runs. */
async function errorsOf(run: () => Promise<void>): Promise<string[]> {
  const { error } = console;
  const lines: string[] = [];
  console.error = (...values) => lines.push(values.map(String).join(" "));
  try {
    await run();
  } finally {
    console.error = error;
  }
  return lines;
}

Deno.test("work starts after the response is sent, or its client disconnects", async () => {
  const queue = new BackgroundQueue(OPTIONS);
  const done: string[] = [];
  for (const ending of ["resolve", "reject"] as const) {
    const sent = Promise.withResolvers<void>();
    queue.add(requestSent(sent.promise), ending, () => {
      done.push(ending);
      return Promise.resolve();
    });
    await tick();
    assertEquals(done.includes(ending), false);
    if (ending === "resolve") sent.resolve();
    else sent.reject(new Error("The client left"));
    await queue.finished();
    assert(done.includes(ending));
  }
});

Deno.test("work starts in order, and `concurrency` limits the tasks that run at once", async () => {
  const queue = new BackgroundQueue(OPTIONS);
  const started: number[] = [];
  let [running, most] = [0, 0];
  for (let id = 0; id < 10; id++) {
    queue.add(requestSent(), `task ${id}`, async () => {
      started.push(id);
      most = Math.max(most, ++running);
      await tick();
      running--;
    });
  }
  await queue.finished();
  assertEquals(started, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assertEquals(most, 2);
});

Deno.test("a full queue rejects work until a task is done", async () => {
  const queue = new BackgroundQueue(OPTIONS);
  const gate = Promise.withResolvers<void>();
  const add = () => queue.add(requestSent(), "wait", () => gate.promise);
  for (let count = 0; count < 10; count++) add();
  const error = assertThrows(add, HttpError);
  assertEquals(error.status, 503);
  assertEquals(error.headers.get("retry-after"), "10");
  gate.resolve();
  await queue.finished();
  add();
  await queue.finished();
});

Deno.test("the queue logs work that fails, and continues", async () => {
  const queue = new BackgroundQueue({ ...OPTIONS, concurrency: 1 });
  let done = false;
  const lines = await errorsOf(async () => {
    queue.add(requestSent(), "bad", () => Promise.reject(new Error("Oh no")));
    queue.add(requestSent(), "worse", () => {
      throw new Error("at once");
    });
    queue.add(requestSent(), "good", () => {
      done = true;
      return Promise.resolve();
    });
    await queue.finished();
  });
  assert(done);
  assertEquals(lines, [
    'background: "bad" failed: Error: Oh no',
    'background: "worse" failed: Error: at once',
  ]);
});

Deno.test("giveUp() logs the tasks that wait, and aborts the tasks that run", async () => {
  const queue = new BackgroundQueue({ ...OPTIONS, concurrency: 1 });
  const lines = await errorsOf(async () => {
    queue.add(requestSent(), "runs", (signal) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(signal.reason);
      }));
    queue.add(requestSent(), "waits", () => Promise.resolve());
    await tick();
    queue.giveUp();
    await queue.finished();
  });
  assertEquals(lines, [
    'background: "waits" was given up',
    'background: "runs" failed: AbortError: The server stops',
  ]);
});

Deno.test("after SIGTERM, the process sends all mails before it exits", async () => {
  const gate = Promise.withResolvers<void>();
  const mails: string[] = [];
  let requests = 0;
  await using mail = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { to } = await request.json();
      requests++;
      await gate.promise;
      mails.push(to);
      return new Response();
    },
  );
  using free = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = free.addr;
  free.close();
  await using process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-check", "--no-prompt", "--config", CONFIG],
      ...["--allow-read=.", "--allow-net", "--allow-env=MAIL_URL,PORT,HOST"],
      "main.ts",
    ],
    cwd: FOLDER,
    env: {
      PORT: String(port),
      MAIL_URL: `http://127.0.0.1:${mail.addr.port}`,
    },
    stdin: "null",
    stderr: "piped",
  }).spawn();
  const output = process.stderr.pipeThrough(new TextDecoderStream())
    .getReader();
  let printed = "";
  while (!printed.includes("Listening")) {
    const { done, value } = await output.read();
    assert(!done, printed);
    printed += value;
  }
  for (const name of ["ada", "bob", "cy", "di", "eve", "flo"]) {
    const response = await fetch(`http://127.0.0.1:${port}/api/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: `${name}@example.com` }),
    });
    assertEquals(response.status, 201); // before any mail has been sent
    await response.body?.cancel();
  }
  assertEquals(mails, []);
  process.kill("SIGTERM");
  while (requests < 4 || await connects(port)) await tick();
  assertEquals(mails, []);
  const start = performance.now();
  gate.resolve();
  const { code } = await process.status;
  assertEquals(code, 0);
  assertEquals(mails.length, 6);
  assert(performance.now() - start < 5_000); // `grace` is 8 s
  await output.cancel();
});

Deno.test("after `grace`, the queue gives up its tasks", async () => {
  const folder = await Deno.makeTempDir();
  const queue = new URL("./background_queue.ts", import.meta.url);
  const program = `
    import { Framework } from "@bough/framework";
    import { BackgroundQueue } from "${queue}";
    const queue = new BackgroundQueue({ limit: 2, concurrency: 1, grace: 100 });
    const app = new Framework({ apiDir: "." });
    const server = await app.serve({ port: 0 });
    const request = { info: { completed: Promise.resolve() } };
    queue.add(request, "runs", (signal) =>
      new Promise((_, reject) => signal.onabort = () => reject(signal.reason)));
    queue.add(request, "waits", () => Promise.resolve());
    Deno.kill(Deno.pid, "SIGTERM");
    await server.finished;
    await queue.finished();
    console.error("over");
  `;
  try {
    await Deno.writeTextFile(`${folder}/main.ts`, program);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", CONFIG, "main.ts"],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const printed = new TextDecoder().decode(stderr);
    assertMatch(
      printed,
      /"waits" was given up\n[^]*"runs" failed: AbortError[^]*\nover\n$/,
    );
    assertEquals(code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
