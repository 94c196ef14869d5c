import { compileOrThrow } from "../start/compile.ts";
import { printWarnings, resolvedOptionsOf, watched } from "./application.ts";
import { declaredPermissions } from "./check/declared_permissions.ts";
import type { Command } from "./command.ts";
import { emit, folderOf, outputOf } from "./generate/generated_file.ts";
import { manifestText } from "./generate/manifest.ts";

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
  --check          writes nothing, and fails if the file is out of date
  --force          replaces a file that this command did not write`,
  boolean: ["lazy", "check", "force"],
  string: ["prefix", "output"],
  positionals: 1,
  async run(call) {
    const { isOn } = call;
    const output = outputOf(
      call,
      "it may import the manifest that is to be written",
    );
    const options = resolvedOptionsOf(call);
    const { discovery } = await compileOrThrow(options);
    printWarnings(discovery.warnings);
    const folder = folderOf(output);
    const { source } = options;
    const permissions = await watched(
      source.label,
      () => declaredPermissions(discovery, source),
    );
    const text = manifestText(discovery, {
      folder,
      lazy: isOn("lazy"),
      permissions,
    });
    const command = `bough build ${source.label}`;
    return emit(text, { output, command }, call);
  },
};
