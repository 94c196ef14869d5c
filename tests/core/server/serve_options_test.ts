import { assert, assertEquals, assertRejects } from "@std/assert";
import { Framework, type ServeOptions } from "@bough/framework";
import {
  CapturedLog,
  TestApplication,
  TestFolder,
} from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { DenoProcess, freePort } from "../../support/process.ts";

const OPEN = { "route.ts": { GET: () => new Response() } };
const PEM = "-----BEGIN PRIVATE KEY-----";

Deno.test("serve() refuses invalid options before it starts (behaviour 9.5)", async () => {
  const names = "port hostname env transport cert key reusePort tcpBacklog " +
    "automaticCompression signal onListen onError shutdownTimeout shutdownDelay";
  const known = names.split(" ").map((name) => `"${name}"`).join(", ");
  const app = new Framework({ apiDir: "the folder does not exist" });
  for (
    const [options, message] of [
      [
        { prot: 8000 },
        `option "prot" is unknown; did you mean "port"? The options are ${known}`,
      ],
      [{ host: "::1" }, 'did you mean "hostname"?'],
      [{ hostName: "::1" }, 'did you mean "hostname"?'],
      [{ onlisten: () => {} }, 'did you mean "onListen"?'],
      [{ transport: "unix" }, 'transport must be "tcp", got "unix"'],
      [{ path: "/tmp/socket" }, 'option "path" is unknown'],
      [
        { exitOnUncaughtError: true },
        'option "exitOnUncaughtError" is unknown',
      ],
      [null, "options must be an object, got null"],
      [8000, "options must be an object"],
      [
        { port: "8000" },
        'port must be a whole number from 0 to 65535, got "8000"',
      ],
      [{ port: 65_536 }, "port must be a whole number"],
      [{ port: NaN }, "port must be a whole number from 0 to 65535, got NaN"],
      [{ port: -1 }, "port must be a whole number"],
      [{ hostname: 5 }, "hostname must be a string"],
      [{ env: "PORT" }, 'env must be true or false, got "PORT"'],
      [{ key: new Uint8Array() }, "key must be a string"],
      [{ cert: "./server.crt", key: PEM }, "cert must be a string in PEM"],
      [{ cert: PEM, key: "" }, "key must be a string in PEM format, as in"],
      [{ cert: PEM }, "HTTPS needs cert and key; key is missing"],
      [{ key: PEM, cert: undefined }, "cert and key; cert is missing"],
      [{ signal: new AbortController() }, "signal must be an AbortSignal"],
      [{ onListen: "x" }, "onListen must be a function"],
      [{ onError: {} }, "onError must be a function"],
      [{ reusePort: 1 }, "reusePort must be true or false, got 1"],
      [{ tcpBacklog: 1.5 }, "tcpBacklog must be a whole number, got 1.5"],
      [{ shutdownTimeout: NaN }, "shutdownTimeout must be a number of milli"],
      [{ shutdownDelay: "1s" }, "shutdownDelay must be a number of milli"],
    ] as const
  ) {
    const error = await assertRejects(
      () => app.serve(options as unknown as ServeOptions),
      TypeError,
      message,
    );
    assert(error.message.startsWith("Cannot serve: "), error.message);
  }
});

Deno.test("an undefined option counts as omitted", async () => {
  const application = TestApplication.of({
    "route.ts": { GET: () => new Response("here") },
  });
  await using server = await application.serve(
    {
      signal: undefined,
      shutdownTimeout: undefined,
      env: undefined,
    } as unknown as ServeOptions,
  );
  const response = await fetch(server.url("/api"));
  assertEquals(await response.text(), "here");
});

Deno.test("PORT and HOST choose the address of env: true, with the permission to read them (behaviour 9.5)", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
      const manifest = { "route.ts": { GET: () => new Response() } };
      const port = Number(Deno.args[0]);
      await new Framework({ manifest })
        .serve({ env: true, hostname: "127.0.0.1", port });`,
  });
  const [own, chosen] = [freePort(), freePort()];
  for (
    const { flags = ["--allow-env=PORT,HOST"], env, expected } of [
      {
        env: { PORT: `${chosen}`, HOST: "127.0.0.2" },
        expected: `2:${chosen}`,
      },
      { env: { PORT: `${chosen}` }, expected: `1:${chosen}` },
      { env: { HOST: "127.0.0.2" }, expected: `2:${own}` },
      { env: { PORT: "", HOST: "" }, expected: `1:${own}` },
      // Without the permission, Deno does not ask.
      {
        flags: [],
        env: { PORT: `${chosen}`, HOST: "x" },
        expected: `1:${own}`,
      },
      { flags: ["--allow-env=HOST"], env: { PORT: "x" }, expected: `1:${own}` },
    ]
  ) {
    await using process = new DenoProcess(
      folder.path,
      ["--allow-net", ...flags],
      "main.ts",
      { args: [`${own}`], env },
    );
    await process.printed("Listening");
    await process.printed(`http://127.0.0.${expected}/`);
  }
});

for (
  const [may, granted, names] of [
    ["neither variable", [], "PORT and HOST"],
    ["HOST", ["HOST"], "PORT"],
    ["PORT", ["PORT"], "HOST"],
    ["both variables", ["PORT", "HOST"], undefined],
    ["everything", undefined, undefined],
  ] as const
) {
  Deno.test(`env: true warns once of ${names ?? "nothing"}, if the program may read ${may} (behaviour 9.5)`, async () => {
    const { get } = Deno.env;
    Deno.env.get = () => undefined;
    try {
      using log = new CapturedLog();
      using _permissions = new FakePermissions(granted);
      const application = TestApplication.of(OPEN);
      await using _server = await application.serve({ env: true });
      assertEquals(
        log.lines,
        names === undefined ? [] : [
          `[bough] serve({ env: true }) ignores ${names}, which the program may not read; run deno with --allow-env=PORT,HOST, or make a permission set with bough permissions`,
        ],
      );
    } finally {
      Deno.env.get = get;
    }
  });
}

Deno.test("without env: true, serve() does not ask for the permission to read variables", async () => {
  using permissions = new FakePermissions([]);
  const application = TestApplication.of(OPEN);
  await using _server = await application.serve();
  assertEquals(permissions.queried, []);
});

Deno.test("an invalid PORT is an error", async () => {
  const { get } = Deno.env;
  const { app } = TestApplication.of({});
  try {
    for (const port of ["http", "70000", "-1", "80 ", "8e3"]) {
      Deno.env.get = (name) => name === "PORT" ? port : undefined;
      await assertRejects(
        () => app.serve({ env: true, port: 0 }),
        TypeError,
        `Cannot serve: the variable PORT must be a whole number from 0 to 65535, got "${port}"`,
      );
    }
  } finally {
    Deno.env.get = get;
  }
});
