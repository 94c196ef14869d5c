import { createDocument } from "../openapi/document.ts";
import { printable } from "../common/printable.ts";
import { applicationOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Command,
  GOOD,
  printError,
  printJson,
} from "./command.ts";

/** Prints the OpenAPI document of an application. */
export const openapi: Command = {
  summary: "Prints the OpenAPI 3.1 document",
  help: `
Usage: bough openapi [apiDir] [options]
${APPLICATION_HELP}
  --title=<text>   the title of the API (default: API)
  --api-version=<text>
                   the version of the API (default: 0.0.0)`,
  boolean: [],
  string: ["prefix", "title", "api-version"],
  positionals: 1,
  async run(call) {
    const { document, warnings } = createDocument(
      await applicationOf(call).routes(),
      {
        info: {
          title: call.value("title") ?? "API",
          version: call.value("api-version") ?? "0.0.0",
        },
      },
    );
    for (const { path, message } of warnings) {
      printError(printable(`Warning: "${path}": ${message}`));
    }
    printJson(document);
    return GOOD;
  },
};
