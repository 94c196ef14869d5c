/** The errors of programs that cannot start: what to do, and the call of Bough (behaviour 9.8). */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { TestApplication, TestFolder } from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { DenoProcess } from "../../support/process.ts";

const HELLO = "export const GET = () => new Response('hello');";
const GET = () => new Response("hello");
const START = 'import { Framework } from "@bough/framework";\n';

/** The folders of the programs below; `private` may not be read. */
const FOLDERS = {
  "api/route.ts": HELLO,
  "private/route.ts": HELLO,
  "misnamed/a/route.ts": "export const get = () => {};",
  "broken/a/route.ts": `${HELLO}\nthrow new Error("no database");`,
  "named/[id/route.ts": HELLO,
  "importing/a/route.ts": `import "../../private/route.ts";\n${HELLO}`,
};

const NAMED =
  `RouteError: Cannot serve "named/[id/route.ts": folder name "[id" is missing its "]"; use "name", "[name]", "[...]" or "(group)"`;
const SET_PORT =
  "choose another port, as in serve({ port: 8001 }), or set the variable PORT, add --allow-env=PORT,HOST and use serve({ env: true })";

/** The line of a program, with its error, and the cause. */
const FAULTS: Readonly<Record<string, readonly [string, cause?: string]>> = {
  [`new Framework({ apiDir: "api", bodyLimit: -1 });`]: [
    "TypeError: Cannot create the Framework: bodyLimit must be a whole number of bytes, 0 or more, got -1",
  ],
  [`new Framework({ apiDir: "api", allowedHosts: ["*"] });`]: [
    `TypeError: Cannot allow host "*": not a host name; write one such as "api.example.com" or "*.example.com"`,
  ],
  [`await new Framework({ apiDir: "api" }).serve({ port: -1 });`]: [
    "TypeError: Cannot serve: port must be a whole number from 0 to 65535, got -1",
  ],
  [`await new Framework({ apiDir: "misnamed" }).serve({ port: 0 });`]: [
    `RouteError: Cannot serve "misnamed/a/route.ts": export "get" is not a handler: name it "GET", in uppercase`,
  ],
  [`await new Framework({ apiDir: "named" }).start();`]: [NAMED],
  [`await new Framework({ apiDir: "named" }).routes();`]: [NAMED],
  [`await new Framework({ apiDir: "named" }).fetch(new Request("http://h/"));`]:
    [NAMED],
  [`await new Framework({ apiDir: "broken" }).serve({ port: 0 });`]: [
    `RouteError: Cannot serve "broken/a/route.ts": the import failed: no database`,
    "Error: no database\n    at broken/a/route.ts:2:7",
  ],
  [`await new Framework({ apiDir: "importing" }).start();`]: [
    `RouteError: Cannot serve "importing/a/route.ts": the import failed: Requires read access to "private/route.ts", run again with the --allow-read flag\n      at importing/a/route.ts:1:8`,
    `TypeError: Requires read access to "private/route.ts", run again with the --allow-read flag\n    at importing/a/route.ts:1:8`,
  ],
  [`await new Framework({ apiDir: "none" }).serve({ port: 0 });`]: [
    `RouteError: Cannot serve "none": the folder does not exist; set apiDir to the folder of your routes (it is relative to the working directory)`,
    "NotFound: No such file or directory (os error 2): readdir 'none'",
  ],
  [`await new Framework({ apiDir: "private" }).serve({ port: 0 });`]: [
    `RouteError: Cannot serve "private": reading the folder is not permitted; run deno with --allow-read=private`,
    'NotCapable: Requires read access to "private", run again with the --allow-read flag',
  ],
  [`await new Framework({ apiDir: "api" }).serve();`]: [
    "NotCapable: Cannot serve on 0.0.0.0:8000: listening there is not permitted; run deno with --allow-net=0.0.0.0:8000",
    'NotCapable: Requires net access to "0.0.0.0:8000", run again with the --allow-net flag',
  ],
  [`await new Framework({ apiDir: "api" }).serve({ hostname: "192.0.2.1" });`]:
    [
      'AddrNotAvailable: Cannot serve on 192.0.2.1:8000: this machine has no address "192.0.2.1"; omit hostname to listen on all addresses',
      "AddrNotAvailable: Cannot assign requested address (os error 99)",
    ],
  [`await new Framework({ apiDir: "api" }).serve({ hostname: "my host" });`]: [
    'URIError: Cannot serve on my host:8000: "my host" is not a hostname; omit hostname to listen on all addresses',
    "URIError: invalid host 'my host': invalid char found in FQDN",
  ],
};

/** Prints the errors; without a timer, Deno would give up at an import that waits. */
const MAIN = `const timer = setInterval(() => {}, 1_000);
for (let index = 0; index < Number(Deno.args[0]); index++) {
  await import(\`./programs/\${index}.ts\`).catch(({ stack, cause }) =>
    console.log([stack, ...cause ? [cause.stack.split("\\n", 2).join("\\n")] : []].join("\\n") + "\\n---"));
}
clearInterval(timer);`;

Deno.test("the error of a program that cannot start has its own line, and the cause (behaviour 9.8)", async () => {
  await using folder = await TestFolder.create({ ...FOLDERS, "main.ts": MAIN });
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  const faults = Object.entries({
    ...FAULTS,
    [`await new Framework({ apiDir: "api" }).serve({ hostname: "127.0.0.1", port: ${port} });`]:
      [
        `AddrInUse: Cannot serve on 127.0.0.1:${port}: port ${port} is in use; end the program that uses it, or ${SET_PORT}`,
        "AddrInUse: Address already in use (os error 98)",
      ],
  });
  for (const [index, [call]] of faults.entries()) {
    await folder.write(`programs/${index}.ts`, START + call);
  }
  await using process = new DenoProcess(
    folder.path,
    [
      ...["--allow-read", "--deny-read=private"],
      ...["--allow-net", "--deny-net=0.0.0.0:8000"],
    ],
    "main.ts",
    { args: [String(faults.length)] },
  );
  const { output } = await process.outcome();
  const printed = output.replaceAll(`file://${folder.path}/`, "")
    .replaceAll(`${folder.path}/`, "").split("\n---\n");
  for (const [index, [call, [error, cause]]] of faults.entries()) {
    // Bough checks options before it waits for anything.
    const isChecked = error!.includes("serve: port");
    const place = `programs/${index}.ts:2:${
      isChecked ? call.indexOf("serve") + 1 : 1
    }`;
    const isAsync = call.startsWith("await") && !isChecked;
    const stack = `${error}\n    at ${isAsync ? "async " : ""}${place}`;
    assertEquals(printed[index], [stack, cause].join("\n").trim(), call);
  }
});

Deno.test("Deno prints the error of a program that cannot start with the line and the cause", async () => {
  const call = `await new Framework({ apiDir: "broken" }).serve({ port: 0 });`;
  await using folder = await TestFolder.create({
    ...FOLDERS,
    "main.ts": START + call,
  });
  await using process = new DenoProcess(folder.path, ["--allow-read"]);
  const { code, output } = await process.outcome();
  assertEquals(code, 1);
  assertEquals(output.replaceAll(`file://${folder.path}/`, "").split("\n"), [
    `error: Uncaught (in promise) RouteError: Cannot serve "broken/a/route.ts": the import failed: no database`,
    call,
    "^",
    "    at async main.ts:2:1",
    "Caused by: Error: no database",
    "    at broken/a/route.ts:2:7",
    "",
  ]);
});

Deno.test("an error of listening names the address, and says what to do (behaviour 9.8)", async () => {
  const { AddrInUse, NotCapable, PermissionDenied } = Deno.errors;
  const port = "choose another port, as in serve({ port: 8001 }), or set the";
  const ipv6 = { hostname: "::1", port: 80 };
  const { app } = TestApplication.of({ "route.ts": { GET } });
  const { serve } = Deno;
  using cleanup = new DisposableStack();
  cleanup.defer(() => Object.assign(Deno, { serve }));
  for (
    const [cause, options, granted, message] of [
      [
        new AddrInUse(),
        {},
        ["PORT", "HOST"],
        `on 0.0.0.0:8000: port 8000 is in use; end the program that uses it, or ${port} variable PORT and use serve({ env: true })`,
      ],
      [
        new NotCapable(),
        ipv6,
        [],
        "on [::1]:80: listening there is not permitted; run deno with --allow-net=[::1]:80",
      ],
      [
        new PermissionDenied(),
        ipv6,
        ["HOST"],
        `on [::1]:80: this user may not listen on port 80; ${SET_PORT}`,
      ],
    ] as const
  ) {
    using _permissions = new FakePermissions(granted);
    Object.assign(Deno, {
      serve() {
        throw cause;
      },
    });
    const error = await assertRejects(() => app.serve(options), Error);
    assertEquals(error.message, `Cannot serve ${message}`);
    assertEquals([error.constructor, error.cause], [cause.constructor, cause]);
    assert(!error.stack!.includes("/src/"), error.stack);
  }
  // Errors of neither the address nor the certificate.
  const cert = "-----BEGIN CERTIFICATE-----";
  const files = Object.assign(new Error("many files"), { code: "EMFILE" });
  for (
    const [cause, options] of [
      [new Error("no key"), {}],
      [files, { cert, key: "-----BEGIN PRIVATE KEY-----" }],
    ] as const
  ) {
    Object.assign(Deno, {
      serve() {
        throw cause;
      },
    });
    const error = await assertRejects(() => app.serve(options), Error);
    assertEquals(error, cause, cause.message);
  }
});

Deno.test("the error for a certificate or key that Deno rejects contains neither (behaviour 9.8)", async () => {
  const pem = (label: string, bytes: Uint8Array) =>
    `-----BEGIN ${label}-----\n${bytes.toBase64()}\n-----END ${label}-----\n`;
  const cert = await Deno.readTextFile(
    new URL("../../fixtures/tls/localhost.crt", import.meta.url),
  );
  const { privateKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign"],
  );
  const other = new Uint8Array(
    await crypto.subtle.exportKey("pkcs8", privateKey),
  );
  const key = pem("PRIVATE KEY", other);
  const application = TestApplication.of({ "route.ts": { GET } });
  for (
    const options of [
      { cert, key },
      { cert, key: pem("ENCRYPTED PRIVATE KEY", other) },
      { cert, key: pem("PRIVATE KEY", new Uint8Array(3)) },
      { cert: pem("CERTIFICATE", new Uint8Array(3)), key },
      { cert: key, key: cert },
      { cert: cert.slice(0, 200), key },
    ]
  ) {
    const error = await assertRejects(
      () => application.serve(options),
      TypeError,
      "Cannot serve: Deno rejects cert and key: ",
    );
    assert(error.message.endsWith("private key, without a passphrase"));
    assert(!error.message.includes(other.toBase64().slice(40, 60)));
    assert(error.cause instanceof Error);
    assert(!error.stack!.includes("/src/"), error.stack);
  }
});
