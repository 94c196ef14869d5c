import {
  checkEachOption,
  type OptionKind,
  STRINGS,
} from "../core/common/option_table.ts";
import { isGranted } from "../core/exports/permissions.ts";
import { type Framework, observe } from "../core/framework.ts";

/** Options of {@linkcode inspector}. */
export interface InspectorOptions {
  /**
   * The path of the page. The tools for agents are at `mcp` below it.
   *
   * @default {"/_bough"}
   */
  readonly path?: string;
  /**
   * The URL that opens a file in your editor, with the places `{file}`, `{line}` and
   * `{column}`. For JetBrains: `idea://open?file={file}&line={line}`.
   *
   * @default {"vscode://file/{file}:{line}:{column}"}
   */
  readonly editor?: string;
  /**
   * Further names of headers, cookies, parameters and members whose values are secret,
   * such as `ssn`. Names such as `authorization` and `password` are known.
   *
   * @default {[]}
   */
  readonly secrets?: readonly string[];
}

const OPTIONS: Readonly<Record<keyof InspectorOptions, OptionKind>> = {
  path: {
    accepts: (value) => /^(?:\/[\w-][\w.-]*)+$/.test(String(value)),
    expected: 'must be a path such as "/_bough"',
    shown: true,
  },
  editor: {
    accepts: (value) => /^[a-z][a-z0-9+.-]*:.*\{file\}/.test(String(value)),
    expected:
      'must be a URL with {file}, such as "vscode://file/{file}:{line}:{column}"',
    shown: true,
  },
  secrets: STRINGS,
};

/** The applications that have an inspector. */
const inspected = new WeakSet<Framework>();

/**
 * Shows the requests and the routes of an application during development: on a page at
 * `/_bough`, and to coding agents as an MCP server at `/_bough/mcp`.
 *
 * The inspector works on a server that `app.serve()` opens on a loopback address. It
 * answers only this machine: no page of another origin, and no proxy or tunnel. Secrets
 * are replaced before they are kept. Nothing is written to disk or sent elsewhere.
 *
 * Call the function in a module that only development runs, such as `dev.ts`, before
 * anything that starts the application.
 *
 * @param app The application, which has not started.
 * @param options The path, the link to your editor, and the names of further secrets.
 * @throws {TypeError} If an option is unknown or invalid, if the application has started
 * or has an inspector, in a bundle, in a compiled program, and on Deno Deploy. If a
 * route is at or below the path, `app.serve()` throws the error.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { inspector } from "@bough/framework/dev";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * await inspector(app);
 * const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
 * await server.shutdown();
 * ```
 */
export async function inspector(
  app: Framework,
  options: InspectorOptions = {},
): Promise<void> {
  checkEachOption("inspect the application", options, OPTIONS);
  const {
    path = "/_bough",
    editor = "vscode://file/{file}:{line}:{column}",
    secrets = [],
  } = options;
  const place = productionPlace();
  if (place !== undefined) {
    refuse(
      `the inspector is for development, but this is ${place}; call inspector() in a dev.ts that is not deployed`,
    );
  }
  if (inspected.has(app)) refuse("it has an inspector; call inspector() once");
  // Programs that only print the changes to routes do not load these modules.
  const { createObserver } = await import("./inspector/observer.ts");
  if (!observe(app, createObserver(app, { path, editor, secrets }))) {
    refuse(
      "it has started; call inspector(app) before printRouteChanges(app) and app.serve()",
    );
  }
  inspected.add(app);
}

function refuse(reason: string): never {
  throw new TypeError(`Cannot inspect the application: ${reason}`);
}

/** The kind of production in which the program runs, if it does. */
function productionPlace(): string | undefined {
  if (Deno.build.standalone) return "a compiled program";
  // In a bundle, this is the URL of the bundle.
  if (!/\/dev\/inspector\.[jt]s$/.test(import.meta.url)) return "a bundle";
  const variable = "DENO_DEPLOYMENT_ID";
  // Without the permission, Deno would prompt.
  return isGranted({ kind: "env", value: variable }) && Deno.env.has(variable)
    ? `Deno Deploy, which sets ${variable}`
    : undefined;
}
