import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { scan } from "../routes/scan.ts";
import {
  printWarnings,
  resolvedOptionsOf,
  soundInspectionOf,
} from "./application.ts";
import type { Call, Command } from "./command.ts";
import { emit, outputOf } from "./generated_file.ts";
import { routeTypesText } from "./route_types.ts";
import { standaloneText } from "./standalone.ts";

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
  --check          writes nothing, and fails if the file is out of date`,
  boolean: ["check", "standalone"],
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
    return emit(text, {
      output,
      isCheck: isOn("check"),
      command: `bough types ${source.label}${option}`,
    });
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
  const { discovery } = await scan(resolvedOptionsOf(call));
  printWarnings(discovery.warnings);
  const folder = output === undefined ? Deno.cwd() : dirname(resolve(output));
  return routeTypesText(discovery, folder);
}
