import { resolvedOptionsOf, watched } from "./application.ts";
import { declaredPermissions } from "./check/declarations.ts";
import type { Command } from "./command.ts";
import {
  checkOutput,
  discoveryOf,
  emit,
  FILE_HELP,
  folderOf,
} from "./generate/generated_file.ts";
import { manifestText } from "./generate/modules.ts";

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
    checkOutput(call, "the module may import the manifest");
    const options = resolvedOptionsOf(call);
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
