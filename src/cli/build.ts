import { dirname } from "@std/path/dirname";
import { resolve } from "@std/path/resolve";
import { printable } from "../common/printable.ts";
import { scan } from "../routes/scan.ts";
import { moduleOf, printWarnings, resolvedOptionsOf } from "./application.ts";
import {
  type Command,
  FINDINGS,
  GOOD,
  print,
  printError,
  UsageError,
} from "./command.ts";
import { declaredPermissions } from "./declared_permissions.ts";
import { manifestText } from "./manifest.ts";

/** Writes the manifest of an application. */
export const build: Command = {
  summary: "Writes a manifest: a module that imports every route file",
  help: `
Usage: bough build [apiDir] [options]

  apiDir           the folder of the routes (default: api)
  --prefix=<path>  what stands before their paths (default: api)
  -o, --output=<file>
                   where to write it (default: standard output)
  --lazy           imports each file at its first request
  --check          writes nothing, and fails if the file is out of date`,
  boolean: ["lazy", "check"],
  string: ["prefix", "output"],
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
        `name the folder of the routes, not "${module}": it may import the manifest that is to be written`,
      );
    }
    const options = resolvedOptionsOf(call);
    const { discovery } = scan(options);
    printWarnings(discovery.warnings);
    const folder = output === undefined ? Deno.cwd() : dirname(resolve(output));
    const permissions = await declaredPermissions(discovery, options.source);
    const text = manifestText(discovery, {
      folder,
      lazy: isOn("lazy"),
      permissions,
    });
    if (output === undefined) {
      print(text.trimEnd());
      return GOOD;
    }
    if (!isOn("check")) {
      Deno.writeTextFileSync(output, text);
      return GOOD;
    }
    if (readIfExists(output) === text) return GOOD;
    printError(
      printable(
        `"${output}" is out of date; write it anew with: bough build ${options.source.label} -o ${output}`,
      ),
    );
    return FINDINGS;
  },
};

function readIfExists(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
