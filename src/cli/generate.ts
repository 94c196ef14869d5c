import { compileOrThrow } from "../core/start/compile.ts";
import type { Discovery } from "../core/start/discover.ts";
import type { ResolvedOptions } from "../core/start/options.ts";
import {
  moduleOf,
  printWarnings,
  resolvedOptionsOf,
  validInspectionOf,
  watched,
} from "./application.ts";
import { declaredPermissions } from "./check/declarations.ts";
import { type Call, type Command, UsageError } from "./command.ts";
import { emit, folderOf } from "./generate/generated_file.ts";
import { manifestText, routeTypesText } from "./generate/modules.ts";
import { standaloneText } from "./generate/standalone.ts";

const FILE_HELP = `
  --check          writes nothing, and fails if the file is out of date
  --force          replaces a file that this command did not write`;

export const build: Command = {
  summary: "Writes a manifest: a module that imports every route file",
  help: `
Usage: bough build [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  --prefix=<path>  the path prefix of the routes (default: api)
  -o, --output=<file>
                   the file to write (default: standard output)
  --lazy           imports each file at its first request${FILE_HELP}`,
  boolean: ["lazy", "check", "force"],
  string: ["prefix", "output"],
  async run(call) {
    const options = optionsOf(call, "the module may import the manifest");
    const { source } = options;
    const discovery = await discoveryOf(options);
    const folder = folderOf(call);
    const lazy = call.isOn("lazy");
    const declared = await watched(
      source.label,
      () => declaredPermissions(discovery, source),
    );
    const text = manifestText(discovery, { folder, lazy, declared });
    const command = `bough build ${source.label}${lazy ? " --lazy" : ""}`;
    return emit(text, command, call);
  },
};

export const types: Command = {
  summary: "Writes a map of the routes, for typed clients and handlers",
  help: `
Usage: bough types [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  -o, --output=<file>
                   the file to write (default: standard output)
  --standalone     writes types without imports, for other repositories; the
                   command then imports the route files${FILE_HELP}`,
  boolean: ["check", "force", "standalone"],
  string: ["output"],
  async run(call) {
    const options = optionsOf(call, "the map needs only the names of files");
    const command = `bough types ${options.source.label}`;
    if (call.isOn("standalone")) {
      const { routes, source } = await validInspectionOf(call);
      const text = standaloneText(routes, source);
      return emit(text, `${command} --standalone`, call);
    }
    const discovery = await discoveryOf(options);
    return emit(routeTypesText(discovery, folderOf(call)), command, call);
  },
};

/**
 * @param reason The reason why the command does not accept a module.
 * @throws {UsageError} If `--check` has no file, the argument is a module, or an option
 * has an invalid value.
 */
function optionsOf(call: Call, reason: string): ResolvedOptions {
  if (call.value("output") === undefined && call.isOn("check")) {
    throw new UsageError("--check has no file to compare; add --output=<file>");
  }
  const module = moduleOf(call);
  if (module === undefined) return resolvedOptionsOf(call);
  throw new UsageError(
    `name the folder of the routes, not "${module}": ${reason}`,
  );
}

/** Finds the files of the application, and prints the warnings about them. */
async function discoveryOf(options: ResolvedOptions): Promise<Discovery> {
  const { discovery } = await compileOrThrow(options);
  printWarnings(discovery.warnings);
  return discovery;
}
