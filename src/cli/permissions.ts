import { isAbsolute } from "@std/path/is-absolute";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import { printable } from "../core/common/log.ts";
import { type Permission, permissionsOf } from "../core/start/permissions.ts";
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
import { declarationsOf, modulesOf } from "./permissions/application.ts";
import {
  hasPath,
  isCached,
  isIn,
  isWithin,
  temporaryFolder,
} from "./permissions/coverage.ts";
import { Project, setOf } from "./permissions/permission_set.ts";
import { type Need, type Plan, planOf } from "./permissions/plan.ts";
import { type Access, record } from "./permissions/record.ts";
import { flagOf, jsonOf, sentencesOf, textOf } from "./permissions/report.ts";
import {
  type Ended,
  isComplete,
  scriptsOf,
  testsOf,
  withPermissions,
} from "./permissions/shell_command.ts";

export const permissions: Command = {
  summary:
    "Records the permissions that the tests use, and writes permission sets",
  help: `
Usage: bough permissions [apiDir] [options]
${APPLICATION_HELP}
  --from=<command>      runs this command, and records the permissions that it uses
                        (default: "deno test")
  --listen=<host:port>  the address to listen on, such as 0.0.0.0:8000, or env if
                        the variables PORT and HOST contain the address
  --write=<names>       adds the permissions to up to three sets in deno.json, such
                        as serve,test,dev: for the server, for its tests, and for
                        development
  --prune               removes unused permissions from the sets
  --check               compares the sets of --write, writes nothing, and fails if a
                        set lacks a permission
  --time=<seconds>      stops the command after this time, then reports
                        (default: 600)
  --verbose             prints all accesses, and whole lists
  --json                prints JSON`,
  boolean: ["check", "json", "prune", "verbose"],
  string: ["prefix", "from", "listen", "time"],
  list: ["write"],
  async run(call) {
    const project = Project.find(Deno.cwd());
    const names = namesOf(call, project);
    const isCheck = call.isOn("check");
    const isPruning = call.isOn("prune");
    // Without a test, `deno test` alone would print an error of its own.
    const from = call.value("from") ?? "deno test --permit-no-files";
    const time = timeOf(call);
    const listening = listenOf(call);
    const isNamed = names.length > 0;
    const sets = isNamed
      ? names.map((name) => project!.set(name))
      : [undefined];
    const inspection = await validInspectionOf(call);
    const written = declarationsOf(inspection);
    warnOfFolders(written, project);
    const declared: readonly Need[] = [
      knownNeed({ kind: "read", value: resolve(inspection.source) }, "startup"),
      ...written.map(({ file, ...each }) =>
        knownNeed(
          hasPath(each) ? { ...each, value: resolve(each.value) } : each,
          file,
        )
      ),
      ...listening.map((each) => knownNeed(each, "--listen")),
    ];

    const command = withPermissions(from);
    const { ended, accesses, questions, modules } = await record(command, {
      set: sets[0] ?? setOf({}, "."),
      time,
    });
    if (ended.code === NO_PROGRAM) {
      throw new UsageError(
        `--from names a program that does not exist: "${from}"`,
      );
    }
    warnOfTemporary(accesses);
    const { imports, locate } = await modulesOf(inspection, {
      entries: [moduleOf(call) ?? [], ["main.ts"].filter(exists)].flat(),
      scripts: scriptsOf(project?.commands ?? [])
        .map((path) => resolve(project!.folder, path)),
      tests: testsOf(command, modules),
      config: project?.path,
    });
    const uses = accesses.map(locate);
    const needsOf = (ofTests: boolean) => [
      ...declared,
      ...imports.map((each) => knownNeed(each, "an import of routes")),
      ...uses.filter(({ subject, isTests }) =>
        subject === "use" && (ofTests || !isTests)
      ).map((use) => ({ ...use, isUse: true })),
    ];
    const plans: Plan[] = [];
    for (const [index, set] of sets.entries()) {
      const isForDev = index === DEV;
      const found = set ??
        setOf(isForDev ? { read: ["."] } : {}, project?.folder ?? ".");
      const removed = isForDev && isPruning ? plans[0]!.unused : [];
      plans.push(
        await planOf(needsOf(index === TESTS), {
          name: names[index],
          before: {
            ...found,
            allow: found.allow.filter((each) => !isIn(removed, each)),
          },
          declared: [...declared, ...plans[0]?.allow ?? []],
          isComplete: isComplete(ended) && !isForDev,
          isPruning: isPruning && !isForDev,
          isCheck,
        }),
      );
    }
    const failures = failuresOf(ended, from, call);
    if (failures.length === 0 && questions === 0) {
      failures.push(
        `"${from}" ran no program with Deno, so no access is known; write a test, or name a command with --from`,
      );
    }
    const isRecorded = failures.length === 0;
    if (call.isOn("json")) {
      printJson(jsonOf(plans, { uses, questions, isRecorded }));
    } else if (isRecorded) {
      const isVerbose = call.isOn("verbose");
      print(textOf(plans, { uses, isCheck, isPruning, isVerbose }));
    }

    const isWritten = isNamed && !isCheck && isRecorded;
    const findings = [...failures, ...findingsOf(plans, { from, isCheck })];
    for (const finding of findings) printError(printable(finding));
    const path = project && relative(Deno.cwd(), project.path);
    if (isNamed && !isCheck && !isWritten) {
      printError(`nothing was written to ${path}`);
    }
    for (const { name, allow } of isWritten ? plans : []) {
      printError(
        project!.write(name!, allow)
          ? `wrote the permission set "${name}" to ${path}; run with -P=${name}`
          : `the permission set "${name}" in ${path} is up to date`,
      );
    }
    return findings.length > 0 ? FINDINGS : GOOD;
  },
};

/** The indexes in `--write` of the sets for the tests and for development. */
const [TESTS, DEV] = [1, 2];

/**
 * The names of the sets.
 *
 * @throws {UsageError} If the names do not fit the other options, or the project.
 */
function namesOf(call: Call, project: Project | undefined): readonly string[] {
  const names = call.values("write");
  if (names.length > 0 && project === undefined) {
    throw new UsageError(
      "--write has no deno.json or deno.jsonc to change; create one",
    );
  }
  if (names.includes("") || new Set(names).size < names.length) {
    throw new UsageError(
      `--write has an empty or repeated name: "${names.join(",")}"`,
    );
  }
  if (names.length > DEV + 1) {
    throw new UsageError(
      "--write takes at most three sets: for the server, for its tests, and for development",
    );
  }
  const isCheck = call.isOn("check");
  if (call.isOn("prune") && (names.length === 0 || isCheck)) {
    throw new UsageError("--prune needs --write, and excludes --check");
  }
  if (isCheck && names.length === 0) {
    throw new UsageError(
      "--check needs the names of the sets, as in --write=serve",
    );
  }
  return names;
}

function knownNeed(permission: Permission, by: string): Need {
  return { ...permission, by, dependency: undefined, routes: [], isUse: false };
}

/** Warns if Deno resolves the paths of a set from another folder than declarations. */
function warnOfFolders(
  declared: readonly Permission[],
  project: Project | undefined,
): void {
  const isRelative = declared.some((each) =>
    hasPath(each) && !isAbsolute(each.value)
  );
  const { folder } = project ?? { folder: Deno.cwd() };
  if (!isRelative || folder === Deno.cwd()) return;
  const message =
    `declared paths are relative to the working directory "${Deno.cwd()}", but Deno resolves the paths of a set from "${folder}"; start the server from there, or declare "file:" URLs`;
  printError(printable(message));
}

/** Warns if a set would list temporary files, since the project is one of them. */
function warnOfTemporary(accesses: readonly Access[]): void {
  const [folder, project] = [temporaryFolder(), Deno.cwd()];
  const isListed = isWithin(folder, project) &&
    accesses.some((each) =>
      each.subject === "use" && hasPath(each) &&
      isWithin(folder, each.value) && !isWithin(project, each.value)
    );
  if (!isListed) return;
  const message =
    `the project "${project}" is in the folder for temporary files, so a set would list temporary files, which the next run does not have; move the project out of "${folder}"`;
  printError(printable(message));
}

/** The sentences that make the command fail. */
function findingsOf(plans: readonly Plan[], { from, isCheck }: {
  readonly from: string;
  readonly isCheck: boolean;
}): string[] {
  const cached = plans[0]!.refused.filter(isCached).map((need) =>
    `no portable set can contain ${
      flagOf(need)
    }, since Deno's cache has another place on each machine; set "nodeModulesDir": "auto" in deno.json`
  );
  if (!isCheck) return cached;
  if (plans.every(({ granted }) => granted === 0)) {
    return [
      `"${from}" used none of the permissions; name a command that uses these permissions`,
    ];
  }
  const lacking = sentencesOf(plans);
  const remedy = "the same command without --check adds these permissions";
  return [...lacking, ...lacking.length > 0 ? [remedy] : [], ...cached];
}

/** The default of `--time`, in seconds. */
const TIME = 600;

function timeOf(call: Call): number {
  const value = Number(call.value("time") ?? TIME);
  if (value > 0) return value;
  throw new UsageError("--time must be a number above 0");
}

/** The permissions that `serve({ env: true })` needs, for every local address. */
const LISTEN_BY_ENV = permissionsOf({
  net: ["0.0.0.0", "127.0.0.1"],
  env: ["HOST", "PORT"],
});

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
function failuresOf(
  { code, stopped }: Ended,
  from: string,
  call: Call,
): string[] {
  const reason = {
    time: call.value("time") === undefined &&
      `was stopped after ${TIME} seconds; set a longer --time`,
    size:
      "was stopped after 50,000 different accesses; record a smaller part of the application",
    signal: "was interrupted, so the list of its permissions is incomplete",
    none: code !== 0 &&
      `ended with exit code ${code}, so the list of its permissions is incomplete; make it succeed first`,
  }[stopped ?? "none"];
  return reason ? [`"${from}" ${reason}`] : [];
}
