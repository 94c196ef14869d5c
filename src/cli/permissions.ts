import { relative } from "@std/path/relative";
import { printable } from "../core/common/log.ts";
import type { Permission } from "../core/exports/permissions.ts";
import { moduleOf, validInspectionOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  type Command,
  FINDINGS,
  GOOD,
  print,
  printError,
  printJson,
  UsageError,
} from "./command.ts";
import { exists } from "./files.ts";
import {
  applicationOf,
  declarationsOf,
  type ObservedApplication,
} from "./permissions/application.ts";
import { smallest } from "./permissions/coverage.ts";
import {
  flagOf,
  jsonOf,
  missing,
  needsOf,
  textOf,
  undeclared,
} from "./permissions/findings.ts";
import { Log } from "./permissions/log.ts";
import { Project, setOf } from "./permissions/permission_set.ts";
import {
  type Ended,
  entriesOf,
  isComplete,
  testsOf,
  withPermissions,
} from "./permissions/shell_command.ts";
import { prove, widerThan } from "./permissions/proof.ts";

export const permissions: Command = {
  summary: "Records which permissions each route uses, and proves them",
  help: `
Usage: bough permissions [apiDir] [options]
${APPLICATION_HELP}
  --from=<command>      runs this command and records the permissions it uses,
                        then runs it with only these: --from="deno test"
  --listen=<host:port>  the address that the application listens on: 0.0.0.0:8000,
                        or env if the variables PORT and HOST decide
  --write=<name>        adds used and declared permissions to this permission set
                        in deno.json
  --prune               removes unused permissions from the set
  --check               writes nothing, and fails if a used permission is missing
                        from the set of --write; without --write, fails if a
                        used permission is undeclared
  --time=<seconds>      stops the command after this time, then reports
                        (default: 600)
  --json                prints JSON`,
  boolean: ["check", "json", "prune"],
  string: ["prefix", "from", "listen", "write", "time"],
  async run(call) {
    const project = Project.find(Deno.cwd());
    const name = call.value("write");
    if (name !== undefined && project === undefined) {
      throw new UsageError(
        "--write has no deno.json or deno.jsonc to change; create one",
      );
    }
    const from = call.value("from");
    const isCheck = call.isOn("check");
    const isPruning = call.isOn("prune");
    if (isPruning && (name === undefined || from === undefined || isCheck)) {
      throw new UsageError(
        "--prune needs --write and --from, and excludes --check",
      );
    }
    if (isCheck && name === undefined && from === undefined) {
      throw new UsageError("--check needs --from, --write or both");
    }
    const timed = { command: withPermissions(from ?? ""), time: timeOf(call) };
    const listening = listenOf(call);
    const before = (name === undefined ? undefined : project!.set(name)) ??
      setOf({}, Deno.cwd());
    const inspection = await validInspectionOf(call);
    const { start, declared } = declarationsOf(inspection);
    const set = isCheck && name === undefined
      ? { ...before, allow: [...start, ...declared, ...listening] }
      : before;

    const log = new Log();
    const widened: Permission[] = [];
    let application: ObservedApplication | undefined;
    const needsAfter = async (ended?: Ended) => {
      const starts = [moduleOf(call) ?? [], entriesOf(from ?? "")].flat();
      application ??= await applicationOf(inspection, {
        entries: starts.length > 0 ? starts : ["main.ts"].filter(exists),
        tests: testsOf(timed.command, log.audit.modules),
        config: project?.path,
      });
      return needsOf(application, log.accesses, {
        listening,
        before: before.allow,
        widened,
        isPruning,
        isComplete: ended !== undefined && isComplete(ended),
      });
    };
    const setAfter = async (ended: Ended) => {
      if (isCheck) return set;
      const { uses } = await needsAfter(ended);
      widened.push(...widerThan(uses, log.run));
      return { ...before, allow: (await needsAfter(ended)).allowed };
    };
    const proof = from === undefined
      ? undefined
      : await prove(timed, set, { log, setAfter });
    if (proof?.ended.code === NO_PROGRAM) {
      throw new UsageError(
        `--from names a program that does not exist: "${from}"`,
      );
    }

    const needs = await needsAfter(proof?.ended);
    const left = needs.uses.filter(({ missingRun }) => missingRun === log.run);
    const isProof = proof && isComplete(proof.ended) && left.length === 0;
    const summary = {
      ...needs,
      widened: smallest(widened, []),
      proof: isProof ? proof : undefined,
      origins: { "from --listen": listening, declared, imported: needs.known },
      isPruning,
    };
    if (call.isOn("json")) printJson(jsonOf(summary));
    else print(textOf(summary));
    const findings = proof === undefined ? [] : failuresOf(proof.ended, call);
    if (proof !== undefined && findings.length === 0) {
      const provesNone = proof.proven.length === 0 && set.allow.length > 0;
      if (!log.hasProcesses) {
        findings.push(
          `"${from}" did not start Deno, so its accesses are unknown`,
        );
      } else if (!isCheck) {
        const start = `run ${log.run} of "${from}" still needed`;
        findings.push(
          ...left.map((use) => `${start} another permission: ${flagOf(use)}`),
        );
      } else if (provesNone) {
        findings.push(
          `"${from}" used none of the permissions; name a command that uses these permissions`,
        );
      }
    }
    if (isCheck) {
      findings.push(
        ...name === undefined
          ? undeclared(needs)
          : await missing(needs, before, name),
      );
    }
    for (const finding of findings) printError(printable(finding));
    const path = project && relative(Deno.cwd(), project.path);
    if (findings.length > 0) {
      if (name !== undefined && !isCheck) {
        printError(`nothing was written to ${path}`);
      }
      return FINDINGS;
    }
    if (isCheck) {
      const needed = from === undefined
        ? "their imports need"
        : "the command used";
      printError(
        name === undefined
          ? `the application declares every permission that "${from}" used`
          : `the permission set "${name}" in ${path} has every permission that the routes declare or ${needed}`,
      );
    } else if (name !== undefined) {
      printError(
        project!.write(name, needs.allowed)
          ? `wrote the permission set "${name}" to ${path}; run with -P=${name}`
          : `the permission set "${name}" in ${path} is up to date`,
      );
    }
    return GOOD;
  },
};

/** The default of `--time`, in seconds. */
const TIME = 600;

function timeOf(call: Call): number {
  const value = Number(call.value("time") ?? TIME);
  if (value > 0) return value;
  throw new UsageError("--time must be a number above 0");
}

/** The permissions that `serve({ env: true })` needs, for every local address. */
const LISTEN_BY_ENV: readonly Permission[] = [
  { kind: "net", value: "0.0.0.0" },
  { kind: "net", value: "127.0.0.1" },
  { kind: "env", value: "HOST" },
  { kind: "env", value: "PORT" },
];

function listenOf(call: Call): readonly Permission[] {
  const value = call.value("listen");
  if (value === undefined) return [];
  if (value === "env") return LISTEN_BY_ENV;
  if (!/^(?:\[[\da-f:.]+\]|[^:\s/]+):\d+$/i.test(value)) {
    throw new UsageError(
      `--listen must be a host and a port, such as 0.0.0.0:8000, or env, got "${value}"`,
    );
  }
  return [{ kind: "net", value }];
}

/** The exit code of a shell that cannot find a program. */
const NO_PROGRAM = 127;

/** The reasons why the record of a run is incomplete. */
function failuresOf({ code, stopped }: Ended, call: Call): string[] {
  const reason = {
    time: call.value("time") === undefined &&
      `was stopped after ${TIME} seconds; set a longer --time`,
    size:
      "was stopped after 50,000 different accesses; record a smaller part of the application",
    signal: "was interrupted, so the list of its permissions is incomplete",
    none: code !== 0 &&
      `ended with exit code ${code}, so the list of its permissions is incomplete`,
  }[stopped ?? "none"];
  return reason ? [`"${call.value("from")}" ${reason}`] : [];
}
