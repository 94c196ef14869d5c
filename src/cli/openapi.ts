import { createDocument } from "../openapi/document.ts";
import { documentOf } from "../openapi/plugin.ts";
import { printWarnings, soundInspectionOf } from "./application.ts";
import { APPLICATION_HELP, type Command, GOOD, printJson } from "./command.ts";

/** Prints the OpenAPI document of an application. */
export const openapi: Command = {
  summary: "Prints the OpenAPI 3.1 document",
  help: `
Usage: bough openapi [apiDir] [options]
${APPLICATION_HELP}
  --title=<text>   the title of the API (default: that of the plugin, or API)
  --version=<text> the version of the API (default: that of the plugin, or
                   0.0.0); --api-version is the same`,
  boolean: [],
  string: ["prefix", "title", "version", "api-version"],
  positionals: 1,
  async run(call) {
    const { routes, plugins } = await soundInspectionOf(call);
    const title = call.value("title");
    const version = call.value("version") ?? call.value("api-version");
    const info = {
      ...(title !== undefined && { title }),
      ...(version !== undefined && { version }),
    };
    const { document, warnings } = documentOf(plugins, routes, info) ??
      createDocument(routes, {
        info: { title: "API", version: "0.0.0", ...info },
      });
    printWarnings(warnings);
    printJson(document);
    return GOOD;
  },
};
