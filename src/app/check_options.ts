import { isBodyLimit } from "../routes/config_export.ts";
import { isObject } from "../routes/kind.ts";
import { isPermissions } from "../routes/permissions_export.ts";
import type { CommonOptions, FolderOptions } from "./options.ts";

/** What the value of an option must be. */
interface OptionKind {
  readonly accepts: (value: unknown) => boolean;
  /** The end of the message, after the name of the option. */
  readonly expected: string;
  /** Whether the message shows the value. */
  readonly shown?: boolean;
}

const BOOLEAN: OptionKind = {
  accepts: (value) => typeof value === "boolean",
  expected: "must be true or false",
  shown: true,
};

const FUNCTION: OptionKind = {
  accepts: (value) => typeof value === "function",
  expected: "must be a function",
};

const STRINGS: OptionKind = {
  accepts: (value) => isArrayOf(value, (each) => typeof each === "string"),
  expected: "must be an array of strings",
  shown: true,
};

/** Every option of the constructor, for a folder and for a manifest. */
const OPTIONS: {
  readonly [Name in keyof CommonOptions | keyof FolderOptions]-?: OptionKind;
} = {
  apiDir: {
    accepts: (value) =>
      value instanceof URL || (typeof value === "string" && value !== ""),
    expected: 'must name the folder of your routes, such as "api"',
  },
  load: FUNCTION,
  manifest: {
    accepts: isObject,
    expected: 'must be the default export of a module that "bough build" wrote',
  },
  apiPrefix: {
    accepts: (value) => typeof value === "string",
    expected: 'must be a string, such as "api"',
  },
  lazy: BOOLEAN,
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
  serverTiming: BOOLEAN,
  exitOnUncaughtError: BOOLEAN,
  allowedHosts: STRINGS,
  trustedOrigins: STRINGS,
  middleware: {
    accepts: (value) => isArrayOf(value, FUNCTION.accepts),
    expected: "must be an array of functions (request, next)",
  },
  permissions: {
    accepts: isPermissions,
    expected:
      'must have lists of what the application uses, such as { net: ["api.example.com"], env: ["API_KEY"] }',
  },
  onError: FUNCTION,
  onNotFound: FUNCTION,
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
 * Checks each option of the constructor by itself. `resolveOptions` checks those that
 * depend on each other.
 *
 * @throws {TypeError} If an option is unknown, or its value invalid.
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

/** The error for invalid options. */
export function optionFault(reason: string): TypeError {
  return new TypeError(`Cannot create the Framework: ${reason}`);
}

function isArrayOf(
  value: unknown,
  accepts: (value: unknown) => boolean,
): boolean {
  return Array.isArray(value) && value.every(accepts);
}

/** Spells a value for a message. For a list, a lone string is a likely mistake. */
function spell(value: unknown, expected: string): string {
  return typeof value === "string" && expected === STRINGS.expected
    ? `"${value}"; write ["${value}"]`
    : String(value);
}
