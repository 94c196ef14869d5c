/** The recipe for work that survives a crash. */
import { assertEquals } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";
import { ServingProcess, UNIX } from "../core/server/support.ts";
import { TestFolder } from "../support/application.ts";
import { freePort } from "../support/process.ts";

const MAIN = fromFileUrl(
  new URL("../../examples/recipes/background/main.ts", import.meta.url),
);

/** Starts the program in a folder, with a mail service. */
async function start(
  folder: TestFolder,
  service: Deno.HttpServer<Deno.NetAddr>,
): Promise<ServingProcess> {
  const flags = ["--allow-net", "--allow-read", "--allow-write"];
  const port = String(freePort());
  const MAIL_URL = `http://127.0.0.1:${service.addr.port}`;
  return await new ServingProcess(
    folder.path,
    [...flags, "--allow-env=PORT,HOST,MAIL_URL"],
    relative(folder.path, MAIN),
    { env: { PORT: port, HOST: "127.0.0.1", MAIL_URL } },
  ).listen();
}

Deno.test(
  "after a crash, the next process sends the stored mails, and drains",
  UNIX,
  async () => {
    let isAvailable = false;
    let tries = 0;
    const mails: string[] = [];
    await using service = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const { to } = await request.json();
        tries++;
        if (!isAvailable) return new Response(null, { status: 503 });
        mails.push(to);
        return new Response();
      },
    );
    await using folder = await TestFolder.create({});
    const order = async (port: number, name: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/orders`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: `${name}@example.com` }),
      });
      await response.body?.cancel();
      return response.status;
    };
    await using first = await start(folder, service);
    assertEquals(await order(first.port, "ada"), 201);
    await first.printed("a promise of waitUntil() was rejected");
    assertEquals([tries, mails], [1, []]);
    first.kill("SIGKILL");
    await first.outcome();
    isAvailable = true;
    await using second = await start(folder, service);
    assertEquals(await order(second.port, "bob"), 201);
    second.kill("SIGTERM");
    assertEquals((await second.outcome()).code, 0);
    assertEquals(mails, ["ada@example.com", "bob@example.com"]);
  },
);
