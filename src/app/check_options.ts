import { isBodyLimit } from "../routes/config_export.ts";
import { isObject } from "../routes/kind.ts";
import type { CommonOptions, FolderOptions } from "./options.ts";

/** What the value of an option must be. */
interface OptionKind {
  readonly accepts: (value: unknown) => boolean;
  /** Goes on after the name of the option. */
  readonly expected: string;
  /** Whether the message shows what was given instead. */
  readonly shown?: boolean;
}

const SWITCH: OptionKind = {
  accepts: (value) => typeof value === "boolean",
  expected: "must be true or false",
  shown: true,
};

const HOOK: OptionKind = {
  accepts: (value) => typeof value === "function",
  expected: "must be a function",
};

const STRINGS: OptionKind = {
  accepts: (value) => isArrayOf(value, (each) => typeof each === "string"),
  expected: "must be an array of strings",
  shown: true,
};

/** Every option of the constructor, whether it is a folder's or a manifest's. */
const OPTIONS: {
  readonly [Name in keyof CommonOptions | keyof FolderOptions]-?: OptionKind;
} = {
  apiDir: {
    accepts: (value) =>
      value instanceof URL || (typeof value === "string" && value !== ""),
    expected: 'must name the folder of your routes, such as "api"',
  },
  load: HOOK,
  manifest: {
    accepts: isObject,
    expected: 'must be the default export of a module that "bough build" wrote',
  },
  apiPrefix: {
    accepts: (value) => typeof value === "string",
    expected: 'must be a string, such as "api"',
  },
  lazy: SWITCH,
  bodyLimit: {
    accepts: isBodyLimit,
    expected: "must be a number of bytes",
    shown: true,
  },
  bodyTimeout: {
    accepts: (value) => typeof value === "number" && value > 0,
    expected: "must be a number of milliseconds above 0",
    shown: true,
  },
  validateResponses: {
    accepts: (value) => typeof value === "boolean" || value === "warn",
    expected: 'must be true, false or "warn"',
    shown: true,
  },
  serverTiming: SWITCH,
  exitOnUncaughtError: SWITCH,
  allowedHosts: STRINGS,
  trustedOrigins: STRINGS,
  middleware: {
    accepts: (value) => isArrayOf(value, HOOK.accepts),
    expected: "must be an array of functions (request, next)",
  },
  onError: HOOK,
  onNotFound: HOOK,
  plugins: {
    accepts: (value) =>
      isArrayOf(
        value,
        (each) =>
          isObject(each) && typeof each.name === "string" &&
          typeof each.routes === "function",
      ),
    expected: "must be an array of plugins, such as [openapi({ … })]",
  },
};

/**
 * Checks the options of the constructor one by one; what they mean together is for
 * whoever resolves them.
 *
 * @throws {TypeError} If an option is unknown or has no sound value.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw optionFault(`options are missing; pass { apiDir: "api" }`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name)) {
      const known = Object.keys(OPTIONS).map((each) => `"${each}"`).join(", ");
      throw optionFault(
        `option "${name}" is not known; the options are ${known}`,
      );
    }
    const { accepts, expected, shown } = OPTIONS[name as keyof typeof OPTIONS];
    if (value === undefined || accepts(value)) continue;
    throw optionFault(
      `${name} ${expected}${shown ? `, got ${spell(value, expected)}` : ""}`,
    );
  }
  const { apiDir, manifest } = options as Partial<FolderOptions>;
  if (apiDir === undefined && manifest === undefined) {
    throw optionFault(`apiDir ${OPTIONS.apiDir.expected}`);
  }
}

/** The error for options that the application cannot be created with. */
export function optionFault(reason: string): TypeError {
  return new TypeError(`Cannot create the Framework: ${reason}`);
}

function isArrayOf(
  value: unknown,
  accepts: (value: unknown) => boolean,
): boolean {
  return Array.isArray(value) && value.every(accepts);
}

/** A lone string for several is the likely slip. */
function spell(value: unknown, expected: string): string {
  return typeof value === "string" && expected === STRINGS.expected
    ? `"${value}"; write ["${value}"]`
    : String(value);
}
