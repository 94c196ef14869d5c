import { spellValue } from "../common/spell_value.ts";
import type { BodyConfig } from "../http/body/rules.ts";
import { isObject, kindOf } from "./kind.ts";
import type { Report } from "./route_error.ts";

/** What the value of a setting must be. */
interface Setting {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

const SETTINGS: { readonly [Name in keyof BodyConfig]-?: Setting } = {
  bodyLimit: { accepts: isBodyLimit, expected: "a number of bytes, 0 or more" },
  rawBody: {
    accepts: (value) => typeof value === "boolean",
    expected: "true or false",
  },
};

/**
 * Checks the `config` export of a file.
 *
 * @param known The settings of this kind of file.
 * @param report Receives what is wrong.
 */
export function checkConfig(
  config: unknown,
  known: readonly (keyof BodyConfig)[],
  report: Report,
): BodyConfig {
  if (config === undefined) return {};
  if (!isObject(config)) {
    report(
      `export "config" is ${
        kindOf(config)
      }; it must be an object such as { bodyLimit: 50_000_000 }`,
    );
    return {};
  }
  for (const [key, value] of Object.entries(config)) {
    const name = known.find((name) => name === key);
    if (name === undefined) {
      const names = known.map((name) => `"${name}"`).join(" and ");
      report(`config.${key} is not known; config has ${names}`);
    } else if (!SETTINGS[name].accepts(value)) {
      report(
        `config.${key} must be ${SETTINGS[name].expected}, got ${
          spellValue(value)
        }`,
      );
    }
  }
  return config;
}

/** Whether a value is a number of bytes; with `Infinity` there is no limit. */
export function isBodyLimit(value: unknown): value is number {
  return value === Infinity ||
    (Number.isInteger(value) && value as number >= 0);
}
