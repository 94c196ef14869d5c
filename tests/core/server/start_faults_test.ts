/** The output of programs that cannot start: the error, and the call of Bough. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { TestApplication, TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";

const HELLO = "export const GET = () => new Response('hello');";
const GET = () => new Response("hello");
const ALLOWED = ["--allow-net", "--allow-read"];

/** Programs that cannot start. */
const FAULTS: Readonly<
  Record<string, {
    /** The last lines of `main.ts`. */
    readonly main: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
    /** The lines of the output, without the folder of the program. */
    readonly printed: readonly string[];
  }>
> = {
  "an option of the constructor": {
    main: `new Framework({ apiDir: "api", bodyLimit: -1 });`,
    printed: [
      "error: Uncaught (in promise) TypeError: Cannot create the Framework: bodyLimit must be a whole number of bytes, 0 or more, got -1",
      `new Framework({ apiDir: "api", bodyLimit: -1 });`,
      "^",
      "    at main.ts:2:1",
    ],
  },
  "an allowed host": {
    main: `new Framework({ apiDir: "api", allowedHosts: ["*"] });`,
    printed: [
      `error: Uncaught (in promise) TypeError: Cannot allow host "*": not a host name; write one such as "api.example.com" or "*.example.com"`,
      `new Framework({ apiDir: "api", allowedHosts: ["*"] });`,
      "^",
      "    at main.ts:2:1",
    ],
  },
  "an option of serve()": {
    main: `await new Framework({ apiDir: "api" }).serve({ port: -1 });`,
    printed: [
      "error: Uncaught (in promise) TypeError: Cannot serve: port must be a whole number from 0 to 65535, got -1",
      `await new Framework({ apiDir: "api" }).serve({ port: -1 });`,
      "                                       ^",
      "    at main.ts:2:40",
    ],
  },
  "a tree": {
    main: `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
    files: { "api/a/route.ts": "export const get = () => {};" },
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api/a/route.ts": export "get" is not a handler: name it "GET", in uppercase`,
      `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
      "^",
      "    at async main.ts:2:1",
    ],
  },
  "a tree, at start()": {
    main: `await new Framework({ apiDir: "api" }).start();`,
    files: { "api/[id/route.ts": HELLO },
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api/[id/route.ts": folder name "[id" is missing its "]"; use "name", "[name]", "[...]" or "(group)"`,
      `await new Framework({ apiDir: "api" }).start();`,
      "^",
      "    at async main.ts:2:1",
    ],
  },
  "a tree, at routes()": {
    main: `await new Framework({ apiDir: "api" }).routes();`,
    files: { "api/[id/route.ts": HELLO },
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api/[id/route.ts": folder name "[id" is missing its "]"; use "name", "[name]", "[...]" or "(group)"`,
      `await new Framework({ apiDir: "api" }).routes();`,
      "^",
      "    at async main.ts:2:1",
    ],
  },
  "a tree, at fetch()": {
    main:
      `await new Framework({ apiDir: "api" }).fetch(new Request("http://h/"));`,
    files: { "api/[id/route.ts": HELLO },
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api/[id/route.ts": folder name "[id" is missing its "]"; use "name", "[name]", "[...]" or "(group)"`,
      `await new Framework({ apiDir: "api" }).fetch(new Request("http://h/"));`,
      "^",
      "    at async main.ts:2:1",
    ],
  },
  "an error of a route file": {
    main: `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
    files: {
      "api/a/route.ts": `${HELLO}\nthrow new Error("no database");`,
    },
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api/a/route.ts": the import failed: no database`,
      `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
      "^",
      "    at async main.ts:2:1",
      "Caused by: Error: no database",
      "    at api/a/route.ts:2:7",
    ],
  },
  "a missing folder": {
    main: `await new Framework({ apiDir: "none" }).serve({ port: 0 });`,
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "none": the folder does not exist; set apiDir to the folder of your routes (it is relative to the working directory)`,
      `await new Framework({ apiDir: "none" }).serve({ port: 0 });`,
      "^",
      "    at async main.ts:2:1",
      "Caused by: NotFound: No such file or directory (os error 2): readdir 'none'",
    ],
  },
  "a permission to read": {
    main: `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
    flags: ["--allow-net"],
    printed: [
      `error: Uncaught (in promise) RouteError: Cannot serve "api": reading the folder is not permitted; run deno with --allow-read=api`,
      `await new Framework({ apiDir: "api" }).serve({ port: 0 });`,
      "^",
      "    at async main.ts:2:1",
      'Caused by: NotCapable: Requires read access to "api", run again with the --allow-read flag',
    ],
  },
  "a permission to listen": {
    main: `await new Framework({ apiDir: "api" }).serve();`,
    flags: ["--allow-read"],
    printed: [
      `error: Uncaught (in promise) NotCapable: Cannot serve on 0.0.0.0:8000: listening there is not permitted; run deno with --allow-net=0.0.0.0:8000`,
      `await new Framework({ apiDir: "api" }).serve();`,
      "^",
      "    at async main.ts:2:1",
      'Caused by: NotCapable: Requires net access to "0.0.0.0:8000", run again with the --allow-net flag',
    ],
  },
  "an address of another machine": {
    main:
      `await new Framework({ apiDir: "api" }).serve({ hostname: "192.0.2.1" });`,
    printed: [
      `error: Uncaught (in promise) AddrNotAvailable: Cannot serve on 192.0.2.1:8000: this machine has no address "192.0.2.1"; omit hostname to listen on all addresses`,
      `await new Framework({ apiDir: "api" }).serve({ hostname: "192.0.2.1" });`,
      "^",
      "    at async main.ts:2:1",
      "Caused by: AddrNotAvailable: Cannot assign requested address (os error 99)",
    ],
  },
  "an invalid hostname": {
    main:
      `await new Framework({ apiDir: "api" }).serve({ hostname: "my host" });`,
    printed: [
      `error: Uncaught (in promise) URIError: Cannot serve on my host:8000: "my host" is not a hostname; omit hostname to listen on all addresses`,
      `await new Framework({ apiDir: "api" }).serve({ hostname: "my host" });`,
      "^",
      "    at async main.ts:2:1",
      "Caused by: URIError: invalid host 'my host': invalid char found in FQDN",
    ],
  },
};

for (const [what, { main, files, flags, printed }] of Object.entries(FAULTS)) {
  Deno.test(`a program that cannot start prints the error and its own line: ${what} (behaviour 9.8)`, async () => {
    const { code, lines } = await run(main, files, flags);
    assertEquals(code, 1);
    assertEquals(lines, printed);
  });
}

Deno.test("the error for a port in use says how to choose another port (behaviour 9.8)", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  const call = `serve({ hostname: "127.0.0.1", port: ${port} })`;
  const { code, lines } = await run(
    `await new Framework({ apiDir: "api" }).${call};`,
  );
  assertEquals(code, 1);
  assertEquals(lines, [
    `error: Uncaught (in promise) AddrInUse: Cannot serve on 127.0.0.1:${port}: port ${port} is in use; end the program that uses it, or choose another port, as in serve({ port: 8001 }), or set the variable PORT, add --allow-env=PORT,HOST and use serve({ env: true })`,
    `await new Framework({ apiDir: "api" }).${call};`,
    "^",
    "    at async main.ts:2:1",
    "Caused by: AddrInUse: Address already in use (os error 98)",
  ]);
});

Deno.test("the cause of the error for a port in use is the error of Deno", async () => {
  const application = TestApplication.of({ "route.ts": { GET } });
  await using server = await application.serve();
  const error = await assertRejects(
    () => application.serve({ port: server.port }),
    Deno.errors.AddrInUse,
    `Cannot serve on 127.0.0.1:${server.port}: port ${server.port} is in use`,
  );
  assert(error.cause instanceof Deno.errors.AddrInUse);
  assert(!error.stack!.includes("/src/"), error.stack);
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

/** Runs a program; returns the lines that it prints, without its folder. */
async function run(
  main: string,
  files: Readonly<Record<string, string>> = { "api/route.ts": HELLO },
  flags: readonly string[] = ALLOWED,
): Promise<{ code: number; lines: readonly string[] }> {
  const start = 'import { Framework } from "@bough/framework";\n';
  await using folder = await TestFolder.create({
    "main.ts": start + main,
    ...files,
  });
  await using process = new DenoProcess(folder.path, flags);
  const { code, output } = await process.outcome();
  const lines = output.replaceAll(`file://${folder.path}/`, "")
    .replaceAll(`${folder.path}/`, "").split("\n")
    .filter((line) => line !== "");
  return { code, lines };
}
