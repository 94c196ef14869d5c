import { assertEquals, assertMatch } from "@std/assert";
import { createApp } from "./app.ts";
import { MailServer } from "./mail_server.ts";
import { Services } from "./services.ts";

async function setUp() {
  const folder = await Deno.makeTempDir();
  const uploads = await Deno.makeTempDir({ prefix: "uploads" });
  const mail = new MailServer();
  const services = await Services.open({
    database: `${folder}/test.db`,
    uploads,
    secret: "test",
    mailServer: mail.address,
  });
  const app = createApp(services);
  const send = (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://localhost/api/${path}`, init));
  return {
    send,
    mails: mail.mails,
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
      await Deno.remove(uploads, { recursive: true });
    },
  };
}

Deno.test("a user gets a token by mail, and saves a file", async () => {
  await using service = await setUp();
  await service.send("users", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@mail.example" }),
  });
  const headers = { authorization: `Bearer ${service.mails[0]}` };
  const body = new Blob(["text"], { type: "text/plain" });
  const saved = await service.send("files", { method: "POST", headers, body });
  const { id } = await saved.json();
  const file = await service.send(`files/${id}`, { headers });
  assertEquals(await file.text(), "text");
  const none = await service.send(`files/${id}`);
  assertEquals([none.status, await none.text()].at(0), 401);
});

Deno.test("the job has run", async () => {
  await using service = await setUp();
  const { git } = await (await service.send("version")).json();
  assertMatch(git, /^git version/);
});
