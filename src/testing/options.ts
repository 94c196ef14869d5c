import {
  BOOLEAN,
  checkOptions,
  type Form,
  FUNCTION,
  HEADERS,
  OBJECT,
  STRINGS,
  withDefaults,
} from "../core/common/forms.ts";
import type { Inspection } from "../../mod.ts";
import { checkedCredentials, type Credentials } from "./identity.ts";
import { ONLY, type Strings } from "./plan.ts";

/** An application to test: a `Framework`, from any copy of this package. */
export interface TestedApplication {
  /** Responds to a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Returns the routes, plugins and errors of the application. */
  readonly inspect: () => Promise<Inspection>;
}

/**
 * Values for the parts of a request that schemas do not describe well enough, such as
 * existing identifiers.
 */
export interface PartGenerators {
  /**
   * Dynamic segments of the path: objects of strings by name. The segments of a wildcard
   * are an array: `{ "[...]": ["css", "a.css"] }`.
   */
  readonly params?: readonly unknown[] | ValueArbitrary;
  /** Queries: objects of strings by name. */
  readonly query?: readonly unknown[] | ValueArbitrary;
  /** Headers: objects of strings by lowercase name. */
  readonly headers?: readonly unknown[] | ValueArbitrary;
  /** Cookies: objects of strings by name. */
  readonly cookies?: readonly unknown[] | ValueArbitrary;
  /** Bodies. A `File` in a form is sent with its bytes, name and type. */
  readonly body?: readonly unknown[] | ValueArbitrary;
  /**
   * Whether these parts get no other values. By default, values that are generated from
   * the schemas are also sent.
   *
   * @default false
   */
  readonly only?: boolean;
}

/** Generates random values: an arbitrary of fast-check, such as `fc.integer()`. */
export interface ValueArbitrary {
  /** Generates a value; called by fast-check. */
  readonly generate: (...args: never[]) => unknown;
}

/**
 * Options of {@linkcode contractTests} and {@linkcode checkContracts}.
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
   * Headers of every request by name, such as credentials; or several identities by name.
   * An identity is an object of headers, `{ headers, id }` with the id that resources
   * contain, or a function that logs in and returns either. The function runs again after
   * each reset.
   *
   * @default {}
   */
  readonly as?: Strings | Readonly<Record<string, Credentials>>;
  /**
   * Operations to skip, by method and path, with or without the prefix:
   * `"POST /payments"`. A path alone skips all of its methods: `"/payments"`.
   *
   * @default []
   */
  readonly skip?: readonly string[];
  /**
   * Resets everything that the application stores. Failures are then shrunk to the
   * fewest requests. For data in memory, a function that creates the application is
   * enough.
   */
  readonly reset?: () => void | Promise<void>;
  /**
   * Values by operation and part, as arrays or as arbitraries of fast-check, in addition
   * to generated values. Values that do not fit the schema are skipped.
   *
   * @default {}
   */
  readonly generators?: Readonly<Record<string, PartGenerators>>;
  /**
   * The seed of all random choices: a 32-bit integer, or the seed of a report, such as
   * `"2:7"`. Runs with the same seed send the same requests. The number before the colon
   * is the version of the random choices. In another version, a seed leads to other
   * requests, and a warning says so.
   *
   * @default {a random seed, which reports show}
   */
  readonly seed?: number | string;
  /**
   * The maximum number of values that each property tries with each operation. The
   * property `failure` also tries the same number of invalid values. Checks that hardly
   * depend on values, and operations with few different values, try fewer values.
   *
   * @default 100
   */
  readonly runs?: number;
  /**
   * Milliseconds after which a run ends. Remaining operations then count as untested,
   * and a report names their remaining properties.
   *
   * @default Infinity
   */
  readonly timeLimit?: number;
  /**
   * The origin of a running server to send the requests to, such as
   * `"http://localhost:8000"`. The application itself then only lists its routes.
   */
  readonly url?: string;
  /**
   * Whether to send methods other than `GET`, `HEAD` and `OPTIONS` to the running server
   * of `url`.
   *
   * @default false
   */
  readonly unsafe?: boolean;
  /**
   * Whether a run fails if any operation was not tested. By default, a run fails only if
   * no operation was tested, or if every guard rejected the headers of `as`.
   *
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Milliseconds within which the status and headers of each response must arrive.
   *
   * @default 5_000
   */
  readonly responseTimeout?: number;
}

/** The checked options, with defaults. */
export interface ResolvedTestOptions
  extends Required<Omit<ContractTestOptions, "as" | "reset" | "seed" | "url">> {
  /** Credentials by the name of their identity. */
  readonly as: Readonly<Record<string, Credentials>>;
  readonly reset: ContractTestOptions["reset"];
  /** The seed without its version. */
  readonly seed: number;
  /** The origin of the option; `undefined` if the option is missing. */
  readonly url: string | undefined;
}

export const RESPONSE_TIMEOUT = 5_000;

const DOING = "test the application";

/**
 * Checks the options, and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 */
export function resolveTestOptions(
  options: ContractTestOptions,
): ResolvedTestOptions {
  checkOptions(DOING, options, OPTIONS);
  const given = withDefaults(options, OPTIONS);
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return {
    ...given,
    as: identitiesOf(given.as),
    seed: numberOfSeed(given.seed ?? random >>> 1),
    url: given.url && new URL(given.url).origin,
  };
}

/** The version of the random choices; in another version, a seed leads to other requests. */
const CHOICES = "2";

const SEED = /^(?:(\d+):)?(-?\d+)$/;

/** The seed for reports, with the version of the random choices: `2:7`. */
export function seedText(seed: number): string {
  return `${CHOICES}:${seed}`;
}

/** Reads a seed, and warns if it is not of this version, as that of a report may be. */
function numberOfSeed(seed: number | string): number {
  const [, version, number] = SEED.exec(String(seed))!;
  if (typeof seed === "string" && version !== CHOICES) {
    console.warn(
      `The seed "${seed}" is not of version ${CHOICES} of the random choices, so it may show other failures than before`,
    );
  }
  return Number(number);
}

/** Credentials by identity. Headers alone belong to the only identity. */
function identitiesOf(
  as: ContractTestOptions["as"] & object,
): ResolvedTestOptions["as"] {
  const entries = Object.entries<string | Credentials>(as);
  const where = `Cannot ${DOING}: as`;
  if (entries.some(([, value]) => typeof value === "string")) {
    return { [ONLY]: checkedCredentials(as, where) };
  }
  return Object.fromEntries(entries.map(([name, value]) => [
    name,
    typeof value === "function"
      ? value
      : checkedCredentials(value, `${where}.${name}`),
  ]));
}

const COUNT: Form = {
  accepts: (value) => Number.isSafeInteger(value) && value as number > 0,
  expected: "must be a whole number above 0",
};

const OPTIONS = {
  as: { ...HEADERS, default: {} },
  skip: { ...STRINGS, default: [] },
  reset: FUNCTION,
  generators: { ...OBJECT, default: {} },
  seed: {
    accepts: (seed: unknown) =>
      Math.abs(Number(SEED.exec(String(seed))?.[2])) <= 0x7fffffff,
    expected:
      'must be a 32-bit integer, or the seed of a report, such as "2:7"',
  },
  runs: { ...COUNT, default: 100 },
  timeLimit: {
    accepts: (value: unknown) => typeof value === "number" && value > 0,
    expected: "must be a number of milliseconds above 0",
    default: Infinity,
  },
  url: {
    accepts: isOrigin,
    expected: 'must be the origin of a server, such as "http://localhost:8000"',
  },
  unsafe: { ...BOOLEAN, default: false },
  strict: { ...BOOLEAN, default: false },
  responseTimeout: { ...COUNT, default: RESPONSE_TIMEOUT },
};

function isOrigin(url: unknown): boolean {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) &&
    parsed.pathname === "/" && parsed.search === "" && parsed.username === "";
}

/** Whether only `GET`, `HEAD` and `OPTIONS` may be sent. */
export function isReadOnly({ url, unsafe }: ResolvedTestOptions): boolean {
  return url !== undefined && !unsafe;
}
