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
import { applicationOf } from "./permissions/application.ts";
import { attribute } from "./permissions/attribution.ts";
import { entryOf } from "./permissions/audited_command.ts";
import { expandTasks, wordsOf } from "./permissions/command_text.ts";
import { smallest } from "./permissions/coverage.ts";
import { missingFrom, sectionsOf, undeclared } from "./permissions/findings.ts";
import { learn, type Learned } from "./permissions/learn.ts";
import { jsonOf, textOf } from "./permissions/print.ts";
import { Project } from "./permissions/project.ts";

/** Learns which permissions an application uses, and compares them. */
export const permissions: Command = {
  summary: "Learns which permissions each route uses, and compares them",
  help: `
Usage: bough permissions [apiDir] [options]
${APPLICATION_HELP}
  --from=<command>      runs the command under the audit of Deno, and tells what
                        each route used: --from="deno test"
  --listen=<host:port>  what the application listens on: 0.0.0.0:8000, or env for
                        what PORT and HOST of the environment say
  --write=<name>        writes what is used and declared to the permission set of
                        this name in deno.json
  --check               writes nothing, and fails if something was used that is
                        not declared, or is needed and not in the set of --write
  --time=<seconds>      ends the command then, and goes on (default: 600)
  --size=<megabytes>    ends the command when its logs are this large, and fails
                        (default: 512)
  --json                prints JSON`,
  boolean: ["check", "json"],
  string: ["prefix", "from", "listen", "write", "time", "size"],
  positionals: 1,
  async run(call) {
    const project = Project.find(Deno.cwd());
    const set = call.value("write");
    if (set !== undefined && project === undefined) {
      throw new UsageError("--write needs a deno.json or deno.jsonc");
    }
    const command = commandOf(call, project);
    const listening = listenOf(call);
    const bounds = {
      time: bound(call, "time"),
      size: bound(call, "size"),
    };
    const application = await applicationOf(
      await soundInspectionOf(call),
      entriesOf(call, command),
      project?.path,
    );
    const routes = application.files.map(({ url }) => url);
    const learned = command === undefined
      ? { accesses: [], code: 0, seesRun: true }
      : await learnFrom(command, { ...bounds, routes, project });
    const used = attribute(learned.accesses, { ...application, routes });
    const option = [...application.option, ...listening];
    const sections = sectionsOf({ ...application, option }, used);
    const uses = [...used.byFile.values(), used.shared, used.listening].flat();
    const needed = smallest(
      [...application.imports, ...uses],
      [...application.start, ...application.declared, ...listening],
    );
    if (call.isOn("json")) printJson(jsonOf(sections, needed));
    else print(textOf(sections, needed));

    if (!learned.seesRun) {
      printError(
        "some processes of Deno were started in other ways than those that are watched, such as deno eval, or deno serve by a shell; which programs they ran is not known",
      );
    }
    const failure = failureOf(learned, call);
    const findings = [
      ...(failure === undefined ? [] : [failure]),
      ...(call.isOn("check")
        ? [
          ...undeclared(sections),
          ...(set === undefined
            ? []
            : missingFrom(project!.set(set) ?? [], needed, set)),
        ]
        : []),
    ];
    for (const finding of findings) printError(printable(finding));
    if (findings.length > 0) return FINDINGS;
    if (set !== undefined && !call.isOn("check")) {
      const name = relative(Deno.cwd(), project!.path);
      printError(
        project!.write(set, needed)
          ? `wrote the permission set "${set}" to ${name}; run with -P=${set}`
          : `the permission set "${set}" in ${name} is up to date`,
      );
    }
    return GOOD;
  },
};

/** The command of `--from`: its words, or a text for a shell. */
function commandOf(
  call: Call,
  project: Project | undefined,
): string[] | string | undefined {
  const from = call.value("from");
  if (from === undefined) return undefined;
  const text = expandTasks(from, project?.tasks ?? {});
  const words = wordsOf(text);
  if (words === undefined && Deno.build.os === "windows") {
    throw new UsageError(
      `--from needs a shell for "${text}"; name one command`,
    );
  }
  return words ?? text;
}

/** The modules that start the application: the argument, or what the command runs. */
function entriesOf(
  call: Call,
  command: string[] | string | undefined,
): string[] {
  const run = typeof command === "object" && command[0] === "deno"
    ? entryOf(command.slice(1))
    : undefined;
  const found = [moduleOf(call), run].filter((path) => path !== undefined);
  return found.length > 0 ? found : ["main.ts"].filter(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Runs the command; what cannot be run was called wrongly. */
async function learnFrom(
  command: string[] | string,
  { time, size, routes, project }: {
    readonly time: number;
    readonly size: number;
    readonly routes: readonly string[];
    readonly project: Project | undefined;
  },
): Promise<Learned> {
  try {
    return await learn({
      command,
      time,
      size: size * 1_000_000,
      routes,
      isUnscoped: (set, kind) => project?.isUnscoped(set, kind) ?? false,
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(
      `--from names a program that is not there: "${command}"`,
    );
  }
}

/** The defaults: seconds, and megabytes. */
const BOUNDS = { time: 600, size: 512 };

function bound(call: Call, name: keyof typeof BOUNDS): number {
  const value = Number(call.value(name) ?? BOUNDS[name]);
  if (value > 0) return value;
  throw new UsageError(`--${name} must be a number above 0`);
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

/** Why what was learned is not all there is. */
function failureOf(
  { code, stopped }: Learned,
  call: Call,
): string | undefined {
  const command = `"${call.value("from")}"`;
  switch (stopped) {
    case "time":
      return call.value("time") === undefined
        ? `${command} was stopped after ${BOUNDS.time} seconds; give it more with --time`
        : undefined;
    case "size":
      return `the logs of ${command} reached ${
        bound(call, "size")
      } MB, and it was stopped; raise that with --size`;
    case "signal":
      return `${command} was interrupted; what it used is incomplete`;
    case undefined:
      return code === 0
        ? undefined
        : `${command} ended with ${code}; what it used is incomplete`;
  }
}
