import { checkOptions, type Form, STRINGS } from "../core/common/forms.ts";
import { isGranted } from "../core/start/permissions.ts";
import { type Framework, observe } from "../core/framework.ts";
import { leaveSignals } from "../core/server/process.ts";

/** Options of {@linkcode inspector}. */
export interface InspectorOptions {
  /**
   * The path of the page. Agents use `mcp` below this path.
   *
   * @default {"/_bough"}
   */
  readonly path?: string;
  /**
   * The URL that opens a file in your editor. The page fills in `{file}`, `{line}` and
   * `{column}`. For JetBrains: `idea://open?file={file}&line={line}`.
   *
   * @default {"vscode://file/{file}:{line}:{column}"}
   */
  readonly editor?: string;
  /**
   * Further names of headers, cookies, parameters and members whose values are secret,
   * such as `iban`. Bough knows names such as `authorization` and `password`.
   *
   * @default {[]}
   */
  readonly secrets?: readonly string[];
}

const OPTIONS: Readonly<Record<keyof InspectorOptions, Form>> = {
  path: {
    accepts: (value) => /^(?:\/[\w-][\w.-]*)+$/.test(String(value)),
    expected: 'must be a path such as "/_bough"',
  },
  editor: {
    accepts: (value) => /^[a-z][a-z0-9+.-]*:.*\{file\}/.test(String(value)),
    expected:
      'must be a URL with {file}, such as "vscode://file/{file}:{line}:{column}"',
  },
  secrets: STRINGS,
};

const inspected = new WeakSet<Framework>();

/**
 * Shows requests and routes during development: on the page `/_bough`, and to coding
 * agents on the MCP server `/_bough/mcp`.
 *
 * The inspector works only on a server that `app.serve()` opens on a loopback address. It
 * answers programs on this machine, but no page of another origin, and no request with a
 * header of a proxy or a tunnel. It hides secrets by their names, writes nothing to
 * disk, and sends nothing to other hosts.
 *
 * From then on, `SIGINT` and `SIGTERM` end the process and its watcher at once.
 *
 * Call this function in a module for development, such as `dev.ts`, before anything
 * starts the application.
 *
 * @param app The application, which has not started.
 * @param options The path, the link to your editor, and the names of further secrets.
 * @throws {TypeError} If an option is unknown or invalid, if the application has started
 * or has an inspector, in a bundle, in a compiled program, and on Deno Deploy. If a
 * route is at or below the path, `app.serve()` throws it.
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
  checkOptions("inspect the application", options, OPTIONS);
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
  // A program that calls only `printRouteChanges()` loads no module of the inspector.
  const { createObserver } = await import("./inspector/observer.ts");
  if (!observe(app, createObserver(app, { path, editor, secrets }))) {
    refuse(
      "it has started; call inspector(app) before printRouteChanges(app) and app.serve()",
    );
  }
  inspected.add(app);
  leaveSignals();
}

function refuse(reason: string): never {
  throw new TypeError(`Cannot inspect the application: ${reason}`);
}

/** The kind of production, such as `"a bundle"`; `undefined` in development. */
function productionPlace(): string | undefined {
  if (Deno.build.standalone) return "a compiled program";
  // In a bundle, `import.meta.url` is the URL of the bundle.
  if (!/\/dev\/inspector\.[jt]s$/.test(import.meta.url)) return "a bundle";
  const variable = "DENO_DEPLOYMENT_ID";
  // Without the permission, `Deno.env.has()` would prompt for it.
  return isGranted({ kind: "env", value: variable }) && Deno.env.has(variable)
    ? `Deno Deploy, which sets ${variable}`
    : undefined;
}
