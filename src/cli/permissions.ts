import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { RouteError } from "../core/common/faults.ts";
import { printable } from "../core/common/log.ts";
import {
  flagsOf,
  type Permission,
  permissionsOf,
} from "../core/start/permissions.ts";
import { inspectionOf, moduleOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  type Command,
  FINDINGS,
  GOOD,
  ModuleError,
  print,
  printError,
  UsageError,
} from "./command.ts";
import { exists } from "./files.ts";
import { listen } from "./permissions/broker.ts";
import { covers, hasPath, Needs } from "./permissions/needs.ts";
import { Project, runArguments } from "./permissions/permission_set.ts";
import { planOf } from "./permissions/plan.ts";
import { isServed, runToEnd, serve } from "./permissions/runs.ts";

const BOUGH = new URL("./mod.ts", import.meta.url).href;
const DENO = Deno.execPath();

export const permissions: Command = {
  summary: "Records the permissions of a server or a command as a set",
  help: `
Usage: bough permissions <module> [options] [-- <command>]
       bough permissions [apiDir] [options] -- <command>
${APPLICATION_HELP}
  --url=<origin>   the address of the server (default: http://localhost:8000, or
                   the port of the variable PORT)
  --as=<header>    sends a header with every request, such as credentials; may be
                   repeated: --as "authorization: Bearer test"
  --unsafe         also sends POST, PUT, PATCH and DELETE
  --write=<name>   writes the permission set to deno.json
  --check          compares the set of --write, writes nothing, and fails if the
                   set lacks a permission

With a module, it records the server that the module starts, while the command, or
generated GET, HEAD and OPTIONS requests, use the server. Without a module, it records
the command itself, as in: bough permissions --write=test -- deno test -A`,
  boolean: ["check", "unsafe"],
  string: ["prefix", "url", "write"],
  list: ["as"],
  hasCommand: true,
  async run(call) {
    const project = Project.find(Deno.cwd());
    const name = call.value("write");
    const isCheck = call.isOn("check");
    if (name !== undefined && project === undefined) {
      throw new UsageError("--write has no deno.json to change; create one");
    }
    if (name === undefined && isCheck) {
      throw new UsageError("--check needs the name of a set: --write=serve");
    }
    const module = moduleOf(call);
    if (call.command.length === 0 && module === undefined) {
      throw new UsageError(
        "name the module of a server, or a command after --",
      );
    }
    const before = project?.set(name) ?? { allow: [], others: [] };
    const declared = await declarationsOf(call);
    const server = module && await serverOf(call, module);
    const folder = dirname(resolve(module ?? "main.ts"));
    const needs = new Needs([Deno.cwd(), folder]);
    const isRunKnown = [...before.allow, ...declared]
      .some((each) => covers(each, { kind: "run", value: true }));
    printError("recording …");
    {
      await using broker = await listen((each) => needs.ask(each), isRunKnown);
      if (server) await server(["run", "-A"], broker.env);
      else await runToEnd(call.command, broker);
      if (!broker.isUsed) {
        throw new UsageError("the command ran no program with Deno");
      }
    }

    declared.forEach((each) => needs.declare(each));
    const plan = await planOf(needs, before, declared);
    const flags = (all: readonly Permission[]) =>
      flagsOf(all.map((each) => project?.shown(each) ?? each)).map(printable);
    if (isCheck && plan.lacking.length > 0) {
      const remedy = "the same command without --check adds them";
      printError(printable(`the set "${name}" lacks permissions; ${remedy}:`));
      flags(plan.lacking).forEach(printError);
      return FINDINGS;
    }
    const allow = isCheck ? before.allow : plan.allow;
    if (server) await server(runArguments({ ...before, allow }));
    const grants = `Deno grants ${plan.granted} recorded permissions with`;
    if (name === undefined) [`${grants}:`, ...flags(allow)].forEach(print);
    else {
      if (!isCheck) project!.write(name, allow);
      print(printable(`${grants} -P=${name}`));
    }
    if (plan.refused.length > 0) {
      print(`only --allow-all grants these: ${flags(plan.refused).join(" ")}`);
    }
    return GOOD;
  },
};

/** Runs a server with arguments of Deno, until it has served some requests. */
type Run = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * The runs of a server. During the first, a command or generated requests use the server.
 * Later, only generated requests that change nothing are sent again.
 *
 * @throws {UsageError} If `--url` is not the URL of a server.
 * @throws {ModuleError} If another server has the address.
 */
async function serverOf(call: Call, module: string): Promise<Run> {
  const port = Deno.env.get("PORT") || 8000;
  const address = call.value("url") ?? `http://localhost:${port}`;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `--url has no URL such as http://localhost:8000: "${address}"`,
    );
  }
  if (await isServed(url)) {
    throw new ModuleError(
      module,
      `another server responds at ${url.origin}; stop it, or set the variable PORT`,
    );
  }
  const isUnsafe = call.isOn("unsafe");
  /** Sends generated requests for a number of seconds; returns the exit code. */
  const request = (seconds: number, codes: readonly number[]) =>
    runToEnd([
      ...[DENO, "run", "-A", BOUGH, "test", module, `--url=${url.origin}`],
      ...["--seed=2:1", "--runs=20", `--time=${seconds}`],
      ...call.values("as").map((part) => `--as=${part}`),
      ...isUnsafe ? ["--unsafe"] : [],
    ], { name: "generated requests", codes });
  const { command } = call;
  let code: number | undefined;
  return (args, env) =>
    serve([DENO, ...args, module], {
      url,
      env,
      async send() {
        const isFirst = code === undefined;
        if (isFirst && command.length > 0) code = await runToEnd(command);
        // The requests count, and not whether the application fulfills its contract.
        else if (isFirst) code = await request(60, [GOOD, FINDINGS]);
        else if (command.length === 0 && !isUnsafe) {
          await request(8, [GOOD, code!]);
        }
      },
    });
}

/**
 * The declared permissions of the application. Without an argument, this is the
 * application of `main.ts`, or of the folder `api`, if one exists.
 *
 * @throws {RouteError} If the application cannot start.
 */
async function declarationsOf(call: Call): Promise<Permission[]> {
  const path = call.path ?? ["main.ts", "api"].find(exists);
  if (path === undefined) return [];
  const { routes, faults } = await inspectionOf({ ...call, path });
  if (faults.length > 0) throw new RouteError(faults);
  return routes.flatMap(({ permissions }) => permissions)
    .flatMap(({ permissions }) => permissionsOf(permissions))
    .map((each) =>
      hasPath(each) ? { ...each, value: resolve(each.value) } : each
    );
}
