import { compileOrThrow } from "../start/compile.ts";
import {
  printWarnings,
  resolvedOptionsOf,
  soundInspectionOf,
} from "./application.ts";
import type { Call, Command } from "./command.ts";
import { emit, folderOf, outputOf } from "./generate/generated_file.ts";
import { routeTypesText } from "./generate/route_types.ts";
import { standaloneText } from "./generate/standalone.ts";

/** Writes the types of an application for its client and its handlers. */
export const types: Command = {
  summary: "Writes a map of the routes, which types clients and handlers",
  help: `
Usage: bough types [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  -o, --output=<file>
                   where to write it (default: standard output)
  --standalone     writes types that import nothing, for other repositories; this
                   imports the route files
  --check          writes nothing, and fails if the file is out of date
  --force          replaces a file that this command did not write`,
  boolean: ["check", "force", "standalone"],
  string: ["output"],
  positionals: 1,
  async run(call) {
    const { isOn } = call;
    const output = outputOf(
      call,
      "only the names of files matter",
    );
    const { source } = resolvedOptionsOf(call);
    const isStandalone = isOn("standalone");
    const text = isStandalone
      ? await standaloneTypes(call)
      : await routeTypes(call, output);
    const option = isStandalone ? " --standalone" : "";
    const command = `bough types ${source.label}${option}`;
    return emit(text, { output, command }, call);
  },
};

async function standaloneTypes(call: Call): Promise<string> {
  const { routes, source } = await soundInspectionOf(call);
  return await standaloneText(routes, source);
}

async function routeTypes(
  call: Call,
  output: string | undefined,
): Promise<string> {
  const { discovery } = await compileOrThrow(resolvedOptionsOf(call));
  printWarnings(discovery.warnings);
  return routeTypesText(discovery, folderOf(output));
}
