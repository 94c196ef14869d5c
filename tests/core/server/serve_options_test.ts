import { assert, assertEquals, assertRejects } from "@std/assert";
import { Framework, type ServeOptions } from "@bough/framework";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { OPTIONS } from "../../../src/core/server/serve.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { freePort } from "../../support/process.ts";

const OPEN = { "route.ts": { GET: () => new Response("here") } };
const PEM = "-----BEGIN PRIVATE KEY-----";

Deno.test("serve() refuses invalid options before it starts (behaviour 9.5)", async () => {
  const known = Object.keys(OPTIONS).map((name) => `"${name}"`).join(", ");
  const app = new Framework({ apiDir: "the folder does not exist" });
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    [`option "prot" is unknown; did you mean "port"? The options are ${known}`]:
      [{ prot: 8000 }],
    'did you mean "hostname"?': [{ host: "::1" }, { hostName: "::1" }],
    'did you mean "onListen"?': [{ onlisten: () => {} }],
    'transport must be "tcp", got "unix"': [{ transport: "unix" }],
    'option "path" is unknown': [{ path: "/tmp/socket" }],
    'option "exitOnUncaughtError" is unknown': [{ exitOnUncaughtError: true }],
    "options must be an object, got null": [null],
    "options must be an object": [8000],
    'port must be a whole number from 0 to 65535, got "8000"': [{
      port: "8000",
    }],
    "port must be a whole number": [{ port: 65_536 }, { port: -1 }],
    "port must be a whole number from 0 to 65535, got NaN": [{ port: NaN }],
    "hostname must be a string": [{ hostname: 5 }],
    'env must be true or false, got "PORT"': [{ env: "PORT" }],
    "key must be a string": [{ key: new Uint8Array() }],
    "cert must be a string in PEM": [{ cert: "./server.crt", key: PEM }],
    "key must be a string in PEM format, as in": [{ cert: PEM, key: "" }],
    "HTTPS needs cert and key; key is missing": [{ cert: PEM }],
    "cert and key; cert is missing": [{ key: PEM, cert: undefined }],
    "signal must be an AbortSignal": [{ signal: new AbortController() }],
    "onListen must be a function": [{ onListen: "x" }],
    "onError must be a function": [{ onError: {} }],
    "reusePort must be true or false, got 1": [{ reusePort: 1 }],
    "tcpBacklog must be a whole number, got 1.5": [{ tcpBacklog: 1.5 }],
    "shutdownTimeout must be a number of milli": [{ shutdownTimeout: NaN }],
    "a number of milliseconds, got -1": [{ shutdownTimeout: -1 }],
    "shutdownDelay must be a number of milli": [{ shutdownDelay: "1s" }],
  };
  for (const [message, all] of Object.entries(wrong)) {
    for (const options of all) {
      const error = await assertRejects(
        () => app.serve(options as ServeOptions),
        TypeError,
        message,
      );
      assert(error.message.startsWith("Cannot serve: "), error.message);
    }
  }
});

Deno.test("an undefined option counts as omitted", async () => {
  const names = ["signal", "shutdownTimeout", "env"];
  await using server = await TestApplication.of(OPEN)
    .serve(Object.fromEntries(names.map((name) => [name, undefined])));
  const response = await fetch(server.url("/api"));
  assertEquals(await response.text(), "here");
});

/** Variables of the environment, if the program may read them. */
class FakeEnvironment implements Disposable {
  readonly permissions: FakePermissions;
  readonly #get = Deno.env.get;

  constructor(
    granted: readonly string[] | undefined,
    variables: Readonly<Record<string, string>> = {},
  ) {
    this.permissions = new FakePermissions(granted);
    Deno.env.get = (name) => {
      assert(granted?.some((each) => each === name) ?? true, name);
      return variables[name];
    };
  }

  [Symbol.dispose](): void {
    Deno.env.get = this.#get;
    this.permissions[Symbol.dispose]();
  }
}

Deno.test("PORT and HOST choose the address of env: true, with the permission to read them (behaviour 9.5)", async () => {
  const [own, chosen] = [freePort(), freePort()];
  const address = { PORT: `${chosen}`, HOST: "127.0.0.2" };
  for (
    const [granted, variables, expected, ignored] of [
      [["PORT", "HOST"], address, `127.0.0.2:${chosen}`],
      [undefined, { PORT: `${chosen}` }, `127.0.0.1:${chosen}`],
      [["PORT", "HOST"], { HOST: "127.0.0.2" }, `127.0.0.2:${own}`],
      [["PORT", "HOST"], { PORT: "", HOST: "" }, `127.0.0.1:${own}`],
      [[], address, `127.0.0.1:${own}`, "PORT and HOST"],
      [["HOST"], address, `127.0.0.2:${own}`, "PORT"],
      [["PORT"], address, `127.0.0.1:${chosen}`, "HOST"],
    ] as const
  ) {
    using log = new CapturedLog();
    using _environment = new FakeEnvironment(granted, variables);
    await using server = await TestApplication.of(OPEN)
      .serve({ env: true, port: own });
    const { hostname, port } = server.server.addr;
    const what = Deno.inspect({ granted, variables });
    assertEquals(`${hostname}:${port}`, expected, what);
    assertEquals(
      log.lines,
      ignored === undefined ? [] : [
        `[bough] serve({ env: true }) ignores ${ignored}, which the program may not read; run deno with --allow-env=PORT,HOST, or make a permission set with bough permissions`,
      ],
      what,
    );
  }
});

Deno.test("without env: true, serve() does not ask for the permission to read variables", async () => {
  using environment = new FakeEnvironment([]);
  await using _server = await TestApplication.of(OPEN).serve();
  assertEquals(environment.permissions.queried, []);
});

Deno.test("an invalid PORT is an error", async () => {
  const { app } = TestApplication.of({});
  for (const port of ["http", "70000", "-1", "80 ", "8e3"]) {
    using _environment = new FakeEnvironment(undefined, { PORT: port });
    await assertRejects(
      () => app.serve({ env: true, port: 0 }),
      TypeError,
      `Cannot serve: the variable PORT must be a whole number from 0 to 65535, got "${port}"`,
    );
  }
});
