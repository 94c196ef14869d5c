import { printable } from "../common/log.ts";
import { Framework } from "../framework.ts";
import type { ContractReport } from "../testing/mod.ts";
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
  FINDINGS,
  GOOD,
  print,
  printError,
  printJson,
  rethrow,
  UsageError,
} from "./command.ts";

/** The module of tests, which only `bough test` loads. */
type Testing = typeof import("../testing/mod.ts");
type Options = Parameters<Testing["checkContracts"]>[1] & object;
type Tested = Parameters<Testing["checkContracts"]>[0];

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
  --seed=<number>  repeats the requests of the run that printed this seed
  --url=<origin>   sends the requests to a running server
  --strict         fails if an operation could not be tested
  --unsafe         also sends POST, PUT, PATCH and DELETE to other machines
  --json           prints JSON

A module may export "createApp", which creates the application, or "reset", which
resets its data. Each attempt to shrink a failure then starts from a clean state.`,
  boolean: ["json", "strict", "unsafe"],
  string: ["prefix", "seed", "runs", "url"],
  list: ["as", "skip"],
  async run(call) {
    const { app, reset } = await applicationOf(call);
    const options = optionsOf(call, reset);
    const { checkContracts, failureText, summaryTable } = await import(
      "../testing/mod.ts"
    );
    const report = await checkContracts(app, options).catch(rethrow);
    const { results, failures, problem } = report;
    if (call.isOn("json")) {
      printJson(report);
    } else {
      for (const failure of failures) {
        print(`${colored("red", "failure")} ${failureText(failure)}\n`);
      }
      print(summaryTable(results));
      for (const { property, operation, note } of results) {
        if (note === undefined) continue;
        print(printable(`Note: ${operation}, ${property}: ${note}`));
      }
      if (problem !== undefined) {
        print(`${colored("red", "failure")} ${problem}`);
      }
      print(printable(lastLine(report)));
    }
    return failures.length === 0 && problem === undefined ? GOOD : FINDINGS;
  },
};

/**
 * The maximum number of untested operations that the last line names. The notes name
 * all untested operations.
 */
const MAX_NAMED = 10;

function lastLine(
  { seed, results, failures, untested, problem }: ContractReport,
): string {
  const runs = results.reduce((sum, { runs }) => sum + runs, 0);
  const count = failures.length + (problem === undefined ? 0 : 1);
  const found = count === 0
    ? "nothing found"
    : `${count} failure${count === 1 ? "" : "s"}`;
  const names = untested.slice(0, MAX_NAMED).map(({ operation }) => operation);
  const more = untested.length - names.length;
  const gaps = untested.length === 0
    ? ""
    : `; ${untested.length} not tested: ${names.join(", ")}${
      more === 0 ? "" : ` and ${more} more`
    }`;
  return `Seed ${seed}, ${runs} runs: ${found}${gaps}`;
}

/** The application to test, and the function that resets it. */
async function applicationOf(
  call: Call,
): Promise<{ app: Tested; reset?: Options["reset"] }> {
  // This call prints warnings, and throws errors that prevent startup.
  await validInspectionOf(call);
  const path = moduleOf(call);
  if (path === undefined) {
    return { app: () => new Framework(folderOptions(call)) };
  }
  const { exports: { createApp, reset }, app } = await loadApplication(path);
  return {
    app: (typeof createApp === "function" ? createApp : app) as Tested,
    reset: typeof reset === "function" ? reset as () => void : undefined,
  };
}

function optionsOf(call: Call, reset: Options["reset"]): Options {
  const { value, values, isOn } = call;
  const [seed, runs] = ["seed", "runs"].map((name) => numberOf(call, name));
  const url = value("url");
  let property = "";
  return {
    as: headersOf(values("as")),
    skip: values("skip"),
    strict: isOn("strict"),
    unsafe: isOn("unsafe"),
    ...(reset !== undefined && { reset }),
    ...(seed !== undefined && { seed }),
    ...(runs !== undefined && { runs }),
    ...(url !== undefined && { url }),
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
