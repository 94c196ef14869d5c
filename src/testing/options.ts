import {
  BOOLEAN,
  checkEachOption,
  FUNCTION,
  HEADERS,
  OBJECT,
  type OptionKind,
  type OptionTable,
  STRINGS,
} from "../common/option_table.ts";
import type { Inspection } from "../start/inspect.ts";

/** An application to test: a `Framework`, of whichever copy of this package. */
export interface TestedApplication {
  /** Responds to a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Tells its routes. */
  readonly inspect: () => Promise<Inspection>;
}

/** Values for parts of requests that no schema describes well enough. */
export interface PartGenerators {
  /** The values of the dynamic segments: objects of texts by name. */
  readonly params?: readonly unknown[] | ValueArbitrary;
  /** Queries: objects of texts by name. */
  readonly query?: readonly unknown[] | ValueArbitrary;
  /** Headers: objects of texts by lowercase name. */
  readonly headers?: readonly unknown[] | ValueArbitrary;
  /** Values of bodies. */
  readonly body?: readonly unknown[] | ValueArbitrary;
}

/** Makes random values: an arbitrary of fast-check, such as `fc.integer()`. */
export interface ValueArbitrary {
  /** Makes one; fast-check calls it. */
  readonly generate: (...args: never[]) => unknown;
}

/**
 * How an application is tested.
 *
 * @example Usage
 * ```ts
 * import type { ContractTestOptions } from "@bough/framework/testing";
 *
 * export const options: ContractTestOptions = {
 *   as: { authorization: "Bearer test" },
 *   skip: ["POST /payments"],
 *   generators: { "POST /invoices": { body: [{ vatId: "DE136695976" }] } },
 *   runs: 200,
 * };
 * ```
 */
export interface ContractTestOptions {
  /**
   * Headers that every request has, by name: what shows who sends it.
   *
   * @default {}
   */
  readonly as?: Readonly<Record<string, string>>;
  /**
   * Operations to leave out, by method and path, with or without the prefix:
   * `"POST /payments"`; or all of a path: `"/payments"`.
   *
   * @default []
   */
  readonly skip?: readonly string[];
  /**
   * Puts everything that the application stores back to its beginning. A failure is
   * then made smaller from there. A function that makes the application does the same
   * where nothing is stored outside of it.
   */
  readonly reset?: () => void | Promise<void>;
  /**
   * Values by operation and part, as lists or as arbitraries of fast-check. Those that
   * do not fit the schema are left out.
   *
   * @default {}
   */
  readonly generators?: Readonly<Record<string, PartGenerators>>;
  /**
   * The start of all random choices, a whole number: the same seed sends the same
   * requests.
   *
   * @default {a random one, which reports tell}
   */
  readonly seed?: number;
  /**
   * How many values each property tries with each operation. `failure` tries as many
   * that do not fit, and what hardly depends on values is tried less often.
   *
   * @default 100
   */
  readonly runs?: number;
  /**
   * The origin of a running server to send the requests to, such as
   * `"http://localhost:8000"`. The application itself then only tells its routes.
   */
  readonly url?: string;
  /**
   * Whether methods other than `GET`, `HEAD` and `OPTIONS` are sent to a server that
   * is not on this machine.
   *
   * @default false
   */
  readonly unsafe?: boolean;
  /**
   * Whether a run fails in which an operation was not tested. Without it, a run fails
   * in which none was, or in which every guard refused the headers of `as`.
   *
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Milliseconds within which the head of each response must be there.
   *
   * @default 5_000
   */
  readonly timeout?: number;
}

/** The options, checked and complete. */
export interface ResolvedTestOptions
  extends Required<Omit<ContractTestOptions, "reset" | "url">> {
  readonly reset: ContractTestOptions["reset"];
  /** The origin alone. */
  readonly url: string | undefined;
}

const DOING = "test the application";

/** The addresses of this machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|.+\.localhost)$/;

/**
 * Checks options, and puts in the defaults.
 *
 * @throws {TypeError} If one is unknown, or has an invalid value.
 */
export function resolveTestOptions(
  options: ContractTestOptions,
): ResolvedTestOptions {
  checkEachOption(DOING, options, OPTIONS);
  const {
    seed = crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1,
    runs = 100,
    timeout = 5_000,
  } = options;
  const as = Object.entries(options.as ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of as) {
    try {
      new Headers([[name, value]]);
    } catch {
      // The error of Deno has the value, which may be a secret.
      throw new TypeError(
        `Cannot ${DOING}: as must be headers by name; "${name}" or its value is none`,
      );
    }
  }
  return {
    as: Object.fromEntries(as),
    skip: options.skip ?? [],
    reset: options.reset,
    generators: options.generators ?? {},
    seed,
    runs,
    url: options.url && new URL(options.url).origin,
    unsafe: options.unsafe ?? false,
    strict: options.strict ?? false,
    timeout,
  };
}

const COUNT: OptionKind = {
  accepts: (value) => Number.isSafeInteger(value) && value as number > 0,
  expected: "must be a whole number above 0",
  shown: true,
};

const OPTIONS: OptionTable<keyof ContractTestOptions> = {
  as: HEADERS,
  skip: STRINGS,
  reset: FUNCTION,
  generators: OBJECT,
  seed: {
    accepts: (value) =>
      Number.isSafeInteger(value) && Math.abs(value as number) <= 0x7fffffff,
    expected: "must be a whole number of 32 bits",
    shown: true,
  },
  runs: COUNT,
  url: {
    accepts: isOrigin,
    expected: 'must be the origin of a server, such as "http://localhost:8000"',
    shown: true,
  },
  unsafe: BOOLEAN,
  strict: BOOLEAN,
  timeout: COUNT,
};

function isOrigin(url: unknown): boolean {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) &&
    parsed.pathname === "/" && parsed.search === "" && parsed.username === "";
}

/** Whether only methods that change nothing may be sent. */
export function isReadOnly({ url, unsafe }: ResolvedTestOptions): boolean {
  return url !== undefined && !unsafe && !LOOPBACK.test(new URL(url).hostname);
}
