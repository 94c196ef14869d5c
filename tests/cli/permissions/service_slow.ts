/** A service like that of a new user: its permission sets suffice for all its tasks. */
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { boughWith } from "../support.ts";
import { createService } from "./project.ts";
import { MailServer } from "./service/mail_server.ts";

// Slow: it records a service, and then tests and serves the service, 3 CPU seconds.
Deno.test("a service with a database, uploads, mails and a job runs under its recorded sets", async () => {
  // The sets contain this folder, which must not contain the project.
  await using temporary = await TestFolder.create({});
  await using folder = await createService();
  const TMPDIR = temporary.path;
  const permissions = (...args: readonly string[]) =>
    boughWith(
      { TMPDIR },
      folder.path,
      "permissions",
      "main.ts",
      "--from=deno test --no-check",
      "--listen=env",
      "--write=serve,test,dev",
      ...args,
    );
  const { code, stderr } = await permissions();
  assertEquals(code, 0, stderr);
  const config = join(folder.path, "deno.jsonc");
  const { permissions: sets } = JSON.parse(await Deno.readTextFile(config));
  const serve = {
    read: ["./api", "./data", "./mail.ts", "./migrations", "./uploads", TMPDIR],
    net: ["0.0.0.0", "127.0.0.1", "mail.example:25"],
    // The token of the template: entries stay.
    env: ["HOST", "PORT", "STAFF_TOKEN", "JWT_SECRET", "MAIL_SERVER"],
    write: ["./data", "./uploads", TMPDIR],
    run: ["git"],
  };
  assertEquals({ serve: sets.serve, test: sets.test }, { serve, test: serve });
  const checked = await permissions("--check");
  assertEquals(checked.code, 0, checked.stderr);

  await using tests = new DenoProcess(
    folder.path,
    ["-P=test"],
    "main_test.ts",
    { command: "test", config, env: { TMPDIR } },
  );
  const tested = await tests.outcome();
  assertEquals(tested.code, 0, tested.output);

  await using mail = new MailServer();
  const env = { HOST: "127.0.0.1", PORT: "0", MAIL_SERVER: mail.address };
  await using server = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
    config,
    env: { ...env, JWT_SECRET: "secret" },
  });
  await server.printed("/\n");
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output)!;
  const send = async (path: string, init: RequestInit = {}) =>
    await (await fetch(`${origin}/api/${path}`, init)).text();
  await send("users", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@mail.example" }),
  });
  const headers = { authorization: `Bearer ${mail.mails[0]}` };
  const body = new Blob(["text"], { type: "text/plain" });
  const saved = await send("files", { method: "POST", headers, body });
  const { id } = JSON.parse(saved);
  assertEquals(await send(`files/${id}`, { headers }), "text");
  assertMatch(await send(`files/${id}`), /401/);
  assertMatch(await send("version"), /git version/);
});
