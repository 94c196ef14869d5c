import { resolvedOptionsOf, validInspectionOf } from "./application.ts";
import type { Command } from "./command.ts";
import {
  checkOutput,
  discoveryOf,
  emit,
  FILE_HELP,
  folderOf,
} from "./generate/generated_file.ts";
import { routeTypesText } from "./generate/modules.ts";
import { standaloneText } from "./generate/standalone.ts";

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
    checkOutput(call, "the map needs only the names of files");
    const options = resolvedOptionsOf(call);
    const command = `bough types ${options.source.label}`;
    if (call.isOn("standalone")) {
      const { routes, source } = await validInspectionOf(call);
      const text = await standaloneText(routes, source);
      return emit(text, `${command} --standalone`, call);
    }
    const discovery = await discoveryOf(options);
    return emit(routeTypesText(discovery, folderOf(call)), command, call);
  },
};
