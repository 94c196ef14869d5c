import { relative } from "@std/path/relative";
import { printable } from "../common/printable.ts";
import type { Want } from "../routes/permission_flags.ts";
import { moduleOf, soundInspectionOf } from "./application.ts";
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
import {
  type Application,
  applicationOf,
  declarationsOf,
} from "./permissions/application.ts";
import {
  type Ended,
  isComplete as isCompleteEnd,
} from "./permissions/bounded_child.ts";
import {
  entriesOf,
  testsOf,
  withPermissions,
} from "./permissions/command_text.ts";
import { covers, smallest } from "./permissions/coverage.ts";
import { flagOf, lacking, undeclared } from "./permissions/findings.ts";
import { Log } from "./permissions/log.ts";
import { statesOf } from "./permissions/matcher.ts";
import { type Needs, needsOf } from "./permissions/needs.ts";
import { type PermissionSet, setOf } from "./permissions/permission_set.ts";
import { jsonOf, textOf } from "./permissions/print.ts";
import { Project } from "./permissions/project.ts";
import { prove, widerThan } from "./permissions/prove.ts";

/** Learns which permissions an application uses, and proves them. */
export const permissions: Command = {
  summary: "Learns which permissions each route uses, and proves them",
  help: `
Usage: bough permissions [apiDir] [options]
${APPLICATION_HELP}
  --from=<command>      runs the command to see what it uses, and again with no
                        more permissions than that: --from="deno test"
  --listen=<host:port>  what the application listens on: 0.0.0.0:8000, or env for
                        what PORT and HOST of the environment say
  --write=<name>        adds what is used and declared to the permission set of
                        this name in deno.json
  --prune               removes from that set what is not used any more
  --check               writes nothing, and fails if something was used that the
                        set of --write lacks; without it, that is not declared
  --time=<seconds>      ends the command then, and goes on (default: 600)
  --json                prints JSON`,
  boolean: ["check", "json", "prune"],
  string: ["prefix", "from", "listen", "write", "time"],
  positionals: 1,
  async run(call) {
    const project = Project.find(Deno.cwd());
    const name = call.value("write");
    if (name !== undefined && project === undefined) {
      throw new UsageError("--write needs a deno.json or deno.jsonc");
    }
    const from = call.value("from");
    const isCheck = call.isOn("check");
    const isPruning = call.isOn("prune");
    if (isPruning && (name === undefined || from === undefined || isCheck)) {
      throw new UsageError("--prune needs --write and --from, without --check");
    }
    const trial = { command: withPermissions(from ?? ""), time: timeOf(call) };
    const listening = listenOf(call);
    const before = (name === undefined ? undefined : project!.set(name)) ??
      setOf({}, Deno.cwd());
    const inspection = await soundInspectionOf(call);
    const { start, declared } = declarationsOf(inspection);
    const set = isCheck && name === undefined
      ? { ...before, allow: [...start, ...declared, ...listening] }
      : before;

    const log = new Log();
    const widened: Want[] = [];
    let application: Application | undefined;
    const currentNeeds = async (isComplete: boolean) => {
      application ??= await applicationOf(inspection, {
        entries: startsOf(call),
        tests: testsOf(trial.command, log.audit.modules),
        config: project?.path,
      });
      return needsOf(application, log.accesses, {
        listening,
        before: before.allow,
        widened,
        isPruning,
        isComplete,
      });
    };
    const setAfter = async () => {
      if (isCheck) return set;
      const { uses } = await currentNeeds(true);
      widened.push(...widerThan(uses, log.run));
      return { ...before, allow: (await currentNeeds(true)).allowed };
    };
    const proof = from === undefined
      ? undefined
      : await prove(trial, set, { log, setAfter });
    if (proof?.ended.code === NO_PROGRAM) {
      throw new UsageError(
        `--from names a program that is not there: "${from}"`,
      );
    }
    const isComplete = proof !== undefined && isCompleteEnd(proof.ended);
    const needs = await currentNeeds(isComplete);
    const summary = {
      ...needs,
      widened: smallest(widened, []),
      ...(isComplete && { proof }),
    };
    if (call.isOn("json")) printJson(jsonOf(summary));
    else print(textOf(summary));

    const findings = proof === undefined ? [] : failuresOf(proof.ended, call);
    if (isComplete && !log.hasProcesses) {
      findings.push(`"${from}" ran no program of Deno; nothing is known of it`);
    }
    if (isCheck) {
      if (isComplete && proof.proven.length < Math.min(1, set.allow.length)) {
        findings.push(`"${from}" asked for nothing, which proves nothing`);
      }
      findings.push(
        ...(name === undefined
          ? undeclared(needs.sections)
          : await lacks(needs, before, name)),
      );
    } else if (isComplete) {
      const left = needs.uses.filter((use) => use.lackingRun === log.run);
      findings.push(
        ...left.map((use) =>
          `run ${log.run} of "${from}" still asked for more: ${flagOf(use)}`
        ),
      );
    }
    for (const finding of findings) printError(printable(finding));
    if (findings.length > 0) return FINDINGS;
    if (name !== undefined && !isCheck) {
      const path = relative(Deno.cwd(), project!.path);
      printError(
        project!.write(name, needs.allowed)
          ? `wrote the permission set "${name}" to ${path}; run with -P=${name}`
          : `the permission set "${name}" in ${path} is up to date`,
      );
    }
    return GOOD;
  },
};

/** The modules that start the application: the argument, or what the command runs. */
function startsOf(call: Call): string[] {
  const found = [moduleOf(call) ?? [], entriesOf(call.value("from") ?? "")];
  const paths = found.flat();
  return paths.length > 0 ? paths : ["main.ts"].filter(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** What a permission set lacks of what is known, and of what was used. */
async function lacks(
  { sections, known }: Needs,
  set: PermissionSet,
  name: string,
): Promise<string[]> {
  const states = await statesOf(set, known);
  const used = sections.flatMap(({ rows }) =>
    rows.filter(({ isNew }) => isNew)
  );
  const unused = known.filter((want, index) =>
    states[index] === "prompt" && !used.some((each) => covers(want, each))
  );
  return [
    ...smallest(unused, []).map((want) =>
      `the permission set "${name}" has no ${
        flagOf(want)
      }; add it with --write=${name}`
    ),
    ...lacking(sections, name),
  ];
}

/** The default of `--time`, in seconds. */
const TIME = 600;

function timeOf(call: Call): number {
  const value = Number(call.value("time") ?? TIME);
  if (value > 0) return value;
  throw new UsageError("--time must be a number above 0");
}

/** What `serve({ env: true })` needs, wherever on this machine it is to listen. */
const LISTEN_BY_ENV: readonly Want[] = [
  { kind: "net", value: "0.0.0.0" },
  { kind: "net", value: "127.0.0.1" },
  { kind: "env", value: "HOST" },
  { kind: "env", value: "PORT" },
];

function listenOf(call: Call): readonly Want[] {
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

/** The exit code of a shell that does not find a program. */
const NO_PROGRAM = 127;

/** Why what a run showed is not all there is. */
function failuresOf({ code, stopped }: Ended, call: Call): string[] {
  const command = `"${call.value("from")}"`;
  if (stopped === "time") {
    return call.value("time") === undefined
      ? [
        `${command} was stopped after ${TIME} seconds; give it more with --time`,
      ]
      : [];
  }
  if (stopped === "size") {
    return [`${command} used too many different things, and was stopped`];
  }
  if (stopped === "signal") {
    return [`${command} was interrupted; what it used is incomplete`];
  }
  return code === 0
    ? []
    : [`${command} ended with ${code}; what it used is incomplete`];
}
