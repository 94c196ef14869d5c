/** The reason why a server cannot listen, with its address. */
import { assert, assertEquals } from "@std/assert";
import { listenFault, originOf } from "../../../src/core/server/serve.ts";
import { FakePermissions } from "../../support/permissions.ts";

const { AddrInUse, AddrNotAvailable, NotCapable, PermissionDenied } =
  Deno.errors;

Deno.test("an error of listening names the address, and says what to do", () => {
  const messageOf = (
    type: new (message: string) => Error,
    address: Parameters<typeof listenFault>[1],
  ) => {
    const cause = new type("by the system");
    const fault = listenFault(cause, address);
    assert(fault instanceof type && fault.cause === cause);
    return fault.message;
  };
  const other =
    "choose another port, as in serve({ port: 8001 }), or set the variable PORT and use serve({ env: true })";
  const ipv6 = { hostname: "::1", port: 80 };
  assertEquals(
    messageOf(AddrInUse, {}),
    `Cannot serve on 0.0.0.0:8000: port 8000 is in use; end the program that uses it, or ${other}`,
  );
  assertEquals(
    messageOf(AddrNotAvailable, ipv6),
    'Cannot serve on [::1]:80: this machine has no address "::1"; omit hostname to listen on all addresses',
  );
  assertEquals(
    messageOf(URIError, { hostname: "a b", port: 1 }),
    'Cannot serve on a b:1: "a b" is not a hostname; omit hostname to listen on all addresses',
  );
  assertEquals(
    messageOf(NotCapable, ipv6),
    "Cannot serve on [::1]:80: listening there is not permitted; run deno with --allow-net=[::1]:80",
  );
  assertEquals(
    messageOf(PermissionDenied, ipv6),
    `Cannot serve on [::1]:80: this user may not listen on port 80; ${other}`,
  );
});

Deno.test("an error of listening names the permission to read PORT, if it is missing", () => {
  using _permissions = new FakePermissions(["HOST"]);
  const fault = listenFault(new AddrInUse("by the system"), {});
  assert(fault instanceof AddrInUse);
  assertEquals(
    fault.message,
    "Cannot serve on 0.0.0.0:8000: port 8000 is in use; end the program that uses it, or choose another port, as in serve({ port: 8001 }), or set the variable PORT, add --allow-env=PORT,HOST and use serve({ env: true })",
  );
});

Deno.test("an error of neither the address nor the certificate stays as it is", () => {
  const cert = "-----BEGIN CERTIFICATE-----";
  const error = new Error("no key");
  assertEquals(listenFault(error, {}), error);
  const fault = listenFault(error, { cert });
  assert(fault instanceof TypeError && fault.cause === error);
  assertEquals(
    fault.message,
    "Cannot serve: Deno rejects cert and key: no key; pass a certificate chain and its own private key, without a passphrase",
  );
  const system = Object.assign(new Error("Too many open files"), {
    code: "EMFILE",
  });
  for (const other of [system, "x"]) {
    assertEquals(listenFault(other, { cert }), other);
  }
});

Deno.test("the origin of a server has its scheme, address and port", () => {
  const transport = "tcp";
  const ipv4 = { transport, hostname: "127.0.0.1", port: 80 } as const;
  const ipv6 = { transport, hostname: "::1", port: 8443 } as const;
  assertEquals(originOf(ipv4, {}), "http://127.0.0.1:80");
  assertEquals(originOf(ipv6, { cert: "" }), "https://[::1]:8443");
});
