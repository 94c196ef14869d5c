import type { ResolvedOptions } from "../options/resolve.ts";
import { compileOrThrow } from "../start/compile.ts";
import type { Discovery } from "../start/discover.ts";
import {
  printWarnings,
  resolvedOptionsOf,
  soundInspectionOf,
  watched,
} from "./application.ts";
import { declaredPermissions } from "./check/declared_permissions.ts";
import type { Command } from "./command.ts";
import { checkOutput, emit, folderOf } from "./generate/generated_file.ts";
import { manifestText, routeTypesText } from "./generate/modules.ts";
import { standaloneText } from "./generate/standalone.ts";

/** Help on the options that all commands for a generated file share. */
const FILE_HELP = `
  --check          writes nothing, and fails if the file is out of date
  --force          replaces a file that this command did not write`;

export const build: Command = {
  summary: "Writes a manifest: a module that imports every route file",
  help: `
Usage: bough build [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  --prefix=<path>  what stands before their paths (default: api)
  -o, --output=<file>
                   where to write it (default: standard output)
  --lazy           imports each file at its first request${FILE_HELP}`,
  boolean: ["lazy", "check", "force"],
  string: ["prefix", "output"],
  async run(call) {
    checkOutput(call, "it may import the manifest that is to be written");
    const options = resolvedOptionsOf(call);
    const { source } = options;
    const discovery = await discoveryOf(options);
    const folder = folderOf(call);
    const permissions = await watched(
      source.label,
      () => declaredPermissions(discovery, source),
    );
    const lazy = call.isOn("lazy");
    const text = manifestText(discovery, { folder, lazy, permissions });
    return emit(text, `bough build ${source.label}`, call);
  },
};

export const types: Command = {
  summary: "Writes a map of the routes, which types clients and handlers",
  help: `
Usage: bough types [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  -o, --output=<file>
                   where to write it (default: standard output)
  --standalone     writes types that import nothing, for other repositories; this
                   imports the route files${FILE_HELP}`,
  boolean: ["check", "force", "standalone"],
  string: ["output"],
  async run(call) {
    checkOutput(call, "only the names of files matter");
    const options = resolvedOptionsOf(call);
    const command = `bough types ${options.source.label}`;
    if (call.isOn("standalone")) {
      const { routes, source } = await soundInspectionOf(call);
      const text = await standaloneText(routes, source);
      return emit(text, `${command} --standalone`, call);
    }
    const discovery = await discoveryOf(options);
    return emit(routeTypesText(discovery, folderOf(call)), command, call);
  },
};

async function discoveryOf(options: ResolvedOptions): Promise<Discovery> {
  const { discovery } = await compileOrThrow(options);
  printWarnings(discovery.warnings);
  return discovery;
}
