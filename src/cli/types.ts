import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { scan } from "../routes/scan.ts";
import { moduleOf, printWarnings, resolvedOptionsOf } from "./application.ts";
import { type Command, UsageError } from "./command.ts";
import { emit } from "./generated_file.ts";
import { routeTypesText } from "./route_types.ts";

/** Writes the types of an application for its client and its handlers. */
export const types: Command = {
  summary: "Writes a map of the routes, which types clients and handlers",
  help: `
Usage: bough types [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  -o, --output=<file>
                   where to write it (default: standard output)
  --check          writes nothing, and fails if the file is out of date`,
  boolean: ["check"],
  string: ["output"],
  positionals: 1,
  async run(call) {
    const { isOn, value } = call;
    const output = value("output");
    if (output === undefined && isOn("check")) {
      throw new UsageError("--check needs the file to check: --output=<file>");
    }
    const module = moduleOf(call);
    if (module !== undefined) {
      throw new UsageError(
        `name the folder of the routes, not "${module}": only the names of files matter`,
      );
    }
    const options = resolvedOptionsOf(call);
    const { discovery } = await scan(options);
    printWarnings(discovery.warnings);
    const folder = output === undefined ? Deno.cwd() : dirname(resolve(output));
    return emit(routeTypesText(discovery, folder), {
      output,
      isCheck: isOn("check"),
      command: `bough types ${options.source.label}`,
    });
  },
};
