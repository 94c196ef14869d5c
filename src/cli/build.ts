import { resolvedOptionsOf, watched } from "./application.ts";
import { declaredPermissions } from "./check/declared_permissions.ts";
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
