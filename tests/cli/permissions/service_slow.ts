/** A service like that of a new user: its permission set suffices for all its tasks. */
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { boughWith } from "../support.ts";
import { createService, freePort, setOf } from "./project.ts";
import { MailServer } from "./service/mail_server.ts";

/** Uses each route of the service, as an end-to-end test does. */
const USE = `import { sign } from "hono/jwt";
const token = await sign({ id: 1 }, Deno.env.get("JWT_SECRET"), "HS256");
const headers = { authorization: "Bearer " + token };
const send = async (path, init) => {
  const origin = "http://127.0.0.1:" + Deno.env.get("PORT");
  const response = await fetch(origin + "/api/" + path, init);
  if (!response.ok) throw new Error(path + " " + await response.text());
  return await response.json().catch(() => {});
};
await send("users", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"email":"ada@mail.example"}',
});
const body = new Blob(["text"], { type: "text/plain" });
const { id } = await send("files", { method: "POST", headers, body });
await send("files/" + id, { headers });
await send("version");
`;

// Slow: it records a service twice, and then serves the service, 5 CPU seconds.
Deno.test("a service with a database, uploads, mails and a job runs under its recorded set", async () => {
  // The set contains this folder, which must not contain the project.
  await using temporary = await TestFolder.create({});
  await using folder = await createService();
  await folder.write("use.ts", USE);
  await using mail = new MailServer();
  const env = {
    TMPDIR: temporary.path,
    PORT: `${freePort()}`,
    MAIL_SERVER: mail.address,
    JWT_SECRET: "secret",
  };
  const use = ["deno", "run", "-A", "use.ts"];
  const record = (...args: readonly string[]) =>
    boughWith(
      env,
      folder.path,
      ...["permissions", "main.ts", "--write=serve", ...args, "--", ...use],
    );
  const written = await record();
  assertEquals(written.code, 0, written.stderr);
  assertEquals(await setOf(folder, "serve"), {
    read: [
      "./api",
      "./data",
      "./mail.ts",
      "./migrations",
      "./uploads",
    ],
    write: ["./data", "./uploads"],
    net: ["0.0.0.0", "127.0.0.1", "mail.example:25"],
    // The token of the template: entries stay.
    env: ["HOST", "JWT_SECRET", "MAIL_SERVER", "PORT", "STAFF_TOKEN"],
    run: ["git"],
  });
  const checked = await record("--check");
  assertEquals(checked.code, 0, checked.stderr);

  const config = join(folder.path, "deno.jsonc");
  await using server = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
    config,
    env,
  });
  await server.printed("Listening");
  await using client = new DenoProcess(folder.path, ["-A"], "use.ts", {
    config,
    env,
  });
  const used = await client.outcome();
  assertEquals(used.code, 0, used.output + server.output);
});
