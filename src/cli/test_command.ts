import { printable } from "../core/common/log.ts";
import { formatValue, isObject } from "../core/common/values.ts";
import { Framework } from "../core/framework.ts";
import type {
  CheckOptions,
  ContractReport,
  MakeApplication,
  TestedApplication,
} from "../testing/mod.ts";
import {
  folderOptions,
  loadApplication,
  moduleOf,
  validInspectionOf,
} from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  colored,
  type Command,
  count,
  FINDINGS,
  GOOD,
  ModuleError,
  print,
  printError,
  printJson,
  rethrow,
  UsageError,
} from "./command.ts";

export const test: Command = {
  summary: "Tests an application against its own schemas",
  help: `
Usage: bough test [apiDir] [options]
${APPLICATION_HELP}
  --as=<header>    sends a header with every request, such as credentials; may be
                   repeated: --as "authorization: Bearer test"
  --skip=<name>    skips an operation; may be repeated: --skip "POST /payments"
  --runs=<number>  the number of values that each property tries with each
                   operation (default: 100)
  --seed=2:7       repeats the run that printed this seed; 2 is the version of its
                   random choices, and another version causes a warning
  --time=<seconds> ends the run; remaining operations count as untested
  --url=<origin>   sends the requests to a running server
  --coverage       lists the declared statuses, media types, limits and choices
  --strict         fails if an operation could not be tested
  --unsafe         with --url, also sends POST, PUT, PATCH and DELETE
  --json           prints JSON

A module may export "createApp", which creates the application, or "reset", which
resets its data before each property of an operation, and before each attempt to shrink
a failure. The export "testOptions" has the options of contractTests(), which arguments
replace; --skip adds operations, and --as adds headers, but replaces identities. If a
module exports "app" and also "handler", or an object with "fetch" by default, requests
go to this wrapper of the application.`,
  boolean: ["coverage", "json", "strict", "unsafe"],
  string: ["prefix", "seed", "runs", "time", "url"],
  list: ["as", "skip"],
  async run(call) {
    const { app, given } = await applicationOf(call);
    const options = optionsOf(call, given);
    // Only this command loads the module of tests.
    const testing = await import("../testing/mod.ts");
    const report = await testing.checkContracts(app, options).catch(rethrow);
    const { results, failures, problem } = report;
    if (call.isOn("json")) {
      // The members of `failures` name all operations that failed.
      const brief = results.map(({ failure, ...result }) => (
        { ...result, failed: failure !== undefined }
      ));
      printJson({ ...report, results: brief });
    } else {
      for (const failure of failures) {
        print(`${colored("red", "failure")} ${testing.failureText(failure)}\n`);
      }
      print(testing.summaryTable(results));
      if (call.isOn("coverage")) {
        report.coverage.map(coverageText).forEach(print);
      }
      const noted = results.filter(({ note }) => note !== undefined);
      const notes = Map.groupBy(
        noted,
        (each) => `${each.operation} ${each.note}`,
      );
      for (const all of notes.values()) {
        const { operation, note } = all[0]!;
        const properties = all.map(({ property }) => property).join(", ");
        print(printable(`Note: ${operation}, ${properties}: ${note}`));
      }
      for (const { operation, reason } of report.untested) {
        if (noted.some((each) => each.operation === operation)) continue;
        print(printable(`Note: ${operation}: ${reason}`));
      }
      if (report.slowReset !== undefined) print(`Note: ${report.slowReset}`);
      if (problem !== undefined) {
        print(`${colored("red", "failure")} ${problem}`);
      }
      print(printable(lastLine(report)));
    }
    return failures.length === 0 && problem === undefined ? GOOD : FINDINGS;
  },
};

/** The most untested operations in the last line; the notes name all of them. */
const MAX_NAMED = 10;

function lastLine(
  { seed, results, failures, untested, problem }: ContractReport,
): string {
  const runs = results.reduce((sum, { runs }) => sum + runs, 0);
  const faults = failures.length + (problem === undefined ? 0 : 1);
  const found = faults === 0 ? "nothing found" : count(faults, "failure");
  const names = untested.slice(0, MAX_NAMED).map(({ operation }) => operation);
  const more = untested.length - names.length;
  const others = more === 0 ? "" : ` and ${more} more`;
  const gaps = untested.length === 0
    ? ""
    : `; ${untested.length} not tested: ${names.join(", ")}${others}`;
  return `Seed ${seed}, ${runs} runs: ${found}${gaps}`;
}

function coverageText(
  { operation, seen, unseen }: ContractReport["coverage"][number],
): string {
  const never = Map.groupBy(unseen, ({ remedy }) => remedy);
  return [
    `${operation}: ${seen.length} of ${seen.length + unseen.length} used`,
    ...(seen.length === 0 ? [] : [`  used:  ${seen.join(", ")}`]),
    ...[...never].map(([remedy, all]) =>
      `  never: ${all.map(({ name }) => name).join(", ")}; add ${remedy}`
    ),
  ].map(printable).join("\n");
}

/** The application to test, and the options that its module exports. */
async function applicationOf(
  call: Call,
): Promise<{ app: TestedApplication | MakeApplication; given: CheckOptions }> {
  // This call prints warnings, and throws errors that prevent startup.
  await validInspectionOf(call);
  const path = moduleOf(call);
  if (path === undefined) {
    return { app: () => new Framework(folderOptions(call)), given: {} };
  }
  const { exports, app } = await loadApplication(path);
  const { createApp, handler, reset, testOptions = {} } = exports;
  if (!isObject(testOptions)) {
    throw new ModuleError(
      path,
      `export "testOptions" must be an object, got ${formatValue(testOptions)}`,
    );
  }
  const given = {
    ...(typeof reset === "function" && { reset: reset as () => void }),
    ...testOptions,
  };
  const wrappers: unknown[] = [exports.default, handler, { fetch: handler }];
  const wrapper = wrappers.find((each) =>
    each !== app && isObject(each) && typeof each.fetch === "function" &&
    each.fetch !== app.fetch
  ) as TestedApplication | undefined;
  const own = typeof createApp === "function" ? createApp : app;
  const tested = wrapper === undefined ? own : {
    fetch: (request: Request) => wrapper.fetch(request),
    inspect: () => app.inspect(),
  };
  return { app: tested as TestedApplication, given };
}

/**
 * The options of the arguments and of the module. Arguments add to headers and skipped
 * operations, and replace identities and other options.
 */
function optionsOf(call: Call, given: CheckOptions): CheckOptions {
  const { value, values, isOn } = call;
  const others = [
    ["runs", numberOf(call, "runs")],
    ["timeLimit", timeLimitOf(call)],
    ...["strict", "unsafe"].map((name) => [name, isOn(name) || undefined]),
    ...["seed", "url"].map((name) => [name, value(name)]),
  ].filter(([, value]) => value !== undefined);
  const as = headersOf(values("as"));
  const isFlat = Object.values(given.as ?? {})
    .some((value) => typeof value === "string");
  const skip = values("skip");
  let property = "";
  return {
    ...given,
    ...Object.fromEntries(others),
    ...(Object.keys(as).length > 0 &&
      { as: { ...(isFlat && given.as), ...as } }),
    ...(skip.length > 0 && { skip: [given.skip ?? [], skip].flat() }),
    onResult: (result) => {
      // Shows progress: one line for each property.
      if (result.property === property) return;
      property = result.property;
      printError(`bough test: ${property} …`);
    },
  };
}

function numberOf({ value }: Call, name: string): number | undefined {
  const text = value(name);
  if (text === undefined) return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a whole number, got "${text}"`);
}

/** The milliseconds of `--time`. */
function timeLimitOf(call: Call): number | undefined {
  const seconds = numberOf(call, "time");
  if (seconds === undefined) return undefined;
  if (seconds > 0) return seconds * 1_000;
  throw new UsageError(`--time must be above 0, got "${seconds}"`);
}

/** Headers by name. Rejoins values that were split at their commas. */
function headersOf(parts: readonly string[]): Record<string, string> {
  const whole: string[] = [];
  for (const text of parts) {
    if (/^\s*[\w!#$%&'*+.^`|~-]+:/.test(text)) whole.push(text);
    else if (whole.length > 0) whole.push(`${whole.pop()},${text}`);
    else {
      throw new UsageError(
        '--as must be a header, such as "authorization: Bearer test"',
      );
    }
  }
  return Object.fromEntries(whole.map((text) => {
    const [, name, value] = /^\s*([^:]+):\s*(.*)$/s.exec(text)!;
    return [name!.toLowerCase(), value!.trim()];
  }));
}
