import { printable } from "../common/printable.ts";
import { dropStack } from "../common/trim_stack.ts";
import { isPort, serveFault } from "./serve_options.ts";

/** Where a server listens. */
export interface Address {
  port?: number;
  hostname?: string;
}

/**
 * Reads an address from the variables `PORT` and `HOST`. A variable that is not set,
 * or empty, or that the program may not read, says nothing; Deno never asks for the
 * permission.
 *
 * @throws {TypeError} If `PORT` is no port.
 */
export function addressFromEnv(): Address {
  const port = readVariable("PORT");
  const hostname = readVariable("HOST");
  if (port !== undefined && !(/^\d+$/.test(port) && isPort(Number(port)))) {
    throw serveFault(
      `the variable PORT must be a whole number from 0 to 65535, got "${
        printable(port)
      }"`,
    );
  }
  return {
    ...(port !== undefined && { port: Number(port) }),
    ...(hostname !== undefined && { hostname }),
  };
}

function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  if (state !== "granted") return undefined;
  return Deno.env.get(variable) || undefined;
}

/**
 * Says why an address or a certificate cannot be listened with, and what to do. Deno's
 * own message names neither the port nor a remedy. The class of an error of the system
 * stays, and it is the cause.
 */
export function listenFault(
  error: unknown,
  { port = 8000, hostname = "0.0.0.0", cert }: Address & { cert?: string },
): unknown {
  const at = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  for (const [type, reason] of reasons(port, hostname, at)) {
    if (!(error instanceof type)) continue;
    const message = `Cannot serve on ${printable(at)}: ${printable(reason)}`;
    return new type(message, { cause: dropStack(error) });
  }
  if (
    cert === undefined || !(error instanceof Error) ||
    // Of the system, such as too many open files.
    error.message.includes("(os error ")
  ) return error;
  return new TypeError(
    `Cannot serve: Deno refuses cert and key: ${error.message}; pass a certificate chain and its own private key, without a passphrase`,
    { cause: dropStack(error) },
  );
}

type ErrorType = new (message: string, options: ErrorOptions) => Error;

function reasons(
  port: number,
  hostname: string,
  at: string,
): readonly (readonly [ErrorType, string])[] {
  const other =
    "choose another port, as in serve({ port: 8001 }), or by the variable PORT with serve({ env: true })";
  const { AddrInUse, AddrNotAvailable, NotCapable, PermissionDenied } =
    Deno.errors;
  return [
    [
      AddrInUse,
      `port ${port} is in use; end the program that uses it, or ${other}`,
    ],
    [
      AddrNotAvailable,
      `this machine has no address "${hostname}"; leave hostname out to listen on all it has`,
    ],
    [
      URIError,
      `"${hostname}" is no hostname; leave hostname out to listen on all addresses of this machine`,
    ],
    [
      NotCapable,
      `listening there is not permitted; run deno with --allow-net=${at}`,
    ],
    [
      PermissionDenied,
      `the system does not let this user listen on port ${port}; ${other}`,
    ],
  ];
}
