import { createDocument } from "../shared/document/document.ts";
import { documentOf } from "../openapi/plugin.ts";
import type { OpenApiDocument, OpenApiVersion } from "../shared/types.ts";
import type { Inspection } from "../core/start/inspect.ts";
import { printWarnings, validInspectionOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  type Command,
  GOOD,
  printJson,
  UsageError,
} from "./command.ts";

export const openapi: Command = {
  summary: "Prints the OpenAPI document",
  help: `
Usage: bough openapi [apiDir] [options]
${APPLICATION_HELP}
  --title=<text>   the title of the API (default: the plugin's title, or API)
  --version=<text> the version of the API (default: the plugin's version, or
                   0.0.0)
  --openapi-version=<version>
                   3.1 or 3.2 (default: the plugin's version, or 3.1)`,
  string: ["prefix", "title", "version", "openapi-version"],
  async run(call) {
    printJson(documentFor(call, await validInspectionOf(call)));
    return GOOD;
  },
};

/** The OpenAPI document of an application. Prints warnings about its gaps. */
export function documentFor(
  call: Call,
  { routes, plugins }: Inspection,
): OpenApiDocument {
  const title = call.value("title");
  const version = call.value("version");
  const openapiVersion = versionOf(call.value("openapi-version"));
  const info = {
    ...(title !== undefined && { title }),
    ...(version !== undefined && { version }),
  };
  const { document, warnings } =
    documentOf(plugins, routes, info, openapiVersion) ??
      createDocument(routes, {
        info: { title: "API", version: "0.0.0", ...info },
        ...(openapiVersion !== undefined && { openapiVersion }),
      });
  printWarnings(warnings);
  return document;
}

/** @throws {UsageError} If the version is neither 3.1 nor 3.2. */
function versionOf(text: string | undefined): OpenApiVersion | undefined {
  if (text === undefined || text === "3.1" || text === "3.2") return text;
  throw new UsageError(
    `--openapi-version must be 3.1 or 3.2, got ${JSON.stringify(text)}`,
  );
}
