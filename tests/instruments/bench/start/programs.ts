/** The measured programs: an application in each form. */
import { dirname, fromFileUrl, join } from "@std/path";

const COMMAND = fromFileUrl(
  new URL("../../../../src/cli/mod.ts", import.meta.url),
);

export interface Program {
  readonly name: string;
  /** The path of the module to run, below the folder of all programs. */
  readonly main: string;
  /** The name of the program to compare its time with. */
  readonly reference: string;
}

/** All forms, the references first. */
export const PROGRAMS: readonly Program[] = [
  program("static imports by hand", "hand.js"),
  program("lazy imports by hand", "hand_lazy.js"),
  program("folder", "folder.js", "static imports by hand"),
  program("lazy folder", "folder_lazy.js", "lazy imports by hand"),
  program("manifest", "manifest_main.js", "static imports by hand"),
  program("lazy manifest", "manifest_lazy_main.js", "lazy folder"),
  program("bundle by hand", "hand_bundle/hand.js"),
  program("lazy bundle by hand", "hand_lazy_bundle/hand_lazy.js"),
  program("bundle", "bundle/manifest_main.js", "bundle by hand"),
  program(
    "lazy bundle",
    "lazy_bundle/manifest_lazy_main.js",
    "lazy bundle by hand",
  ),
];

function program(name: string, main: string, reference = name): Program {
  return { name, main, reference };
}

/** Writes the route files and all programs into a folder. */
export async function writePrograms(
  folder: string,
  { files, config }: { readonly files: number; readonly config: string },
): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  };
  const run = async (...args: readonly string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: folder,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const last = `/api/${routePath(files - 1)}/7`;
  for (let index = 0; index < files; index++) {
    await write(`api/${routePath(index)}/[id]/route.js`, routeFile(index));
  }
  await write("hand.js", handMade(files, last));
  await write("hand_lazy.js", handMadeLazy(files, last));
  await write("folder.js", bough('apiDir: "api"', last));
  await write("folder_lazy.js", bough('apiDir: "api", lazy: true', last));
  for (const form of ["manifest", "manifest_lazy"]) {
    const flags = form === "manifest" ? [] : ["--lazy"];
    const output = `${form}.js`;
    await run(
      ...["run", "-A", "--no-check", "--config", config, COMMAND],
      ...["build", "api", "-o", output, ...flags],
    );
    const imported = `import manifest from "./${output}";\n`;
    await write(`${form}_main.js`, imported + bough("manifest", last));
  }
  for (
    const [main, outdir] of [
      ["hand.js", "hand_bundle"],
      ["hand_lazy.js", "hand_lazy_bundle"],
      ["manifest_main.js", "bundle"],
      ["manifest_lazy_main.js", "lazy_bundle"],
    ] as const
  ) {
    await run(
      ...["bundle", "--quiet", "--config", config, "--code-splitting"],
      ...["--outdir", outdir, main],
    );
  }
}

const SERVE = "{ hostname: '127.0.0.1', port: 0, onListen: responded }";

/** Requests the last route, prints the duration, and exits. */
const RESPONDED = (last: string): string =>
  `async function responded({ port }) {
  const response = await fetch(\`http://127.0.0.1:\${port}${last}\`);
  if (response.status !== 200) throw new Error(await response.text());
  await response.body.cancel();
  console.log(performance.timeOrigin + performance.now());
  Deno.exit();
}
`;

/** A route file with a schema, of about 20 lines. */
function routeFile(index: number): string {
  return `import { z } from "zod";

export const schema = {
  post: {
    params: z.object({ id: z.string().min(1) }),
    body: z.object({
      name: z.string().min(2),
      email: z.email(),
      role: z.enum(["user", "admin"]),
    }),
  },
};

export function GET(request) {
  return Response.json({ item: ${index}, id: request.params.id });
}

export async function POST(request) {
  const { name } = request.validated.body;
  return Response.json({ item: ${index}, name }, { status: 201 });
}
`;
}

function routePath(index: number): string {
  return `group${index % 97}/item${index}`;
}

/** A module with static imports of the routes, and the simplest router. */
function handMade(files: number, last: string): string {
  const indexes = Array.from({ length: files }, (_, index) => index);
  return `${
    indexes.map((index) =>
      `import * as m${index} from "./api/${routePath(index)}/[id]/route.js";`
    ).join("\n")
  }
const routes = new Map([
${indexes.map((index) => `["/api/${routePath(index)}", m${index}]`).join(",\n")}
]);
${RESPONDED(last)}
Deno.serve(${SERVE}, (request) => {
  const { pathname } = new URL(request.url);
  const end = pathname.lastIndexOf("/");
  request.params = { id: pathname.slice(end + 1) };
  return routes.get(pathname.slice(0, end))[request.method](request);
});
`;
}

/** A module that imports each route at its first request. */
function handMadeLazy(files: number, last: string): string {
  const entries = Array.from({ length: files }, (_, index) => {
    const path = routePath(index);
    return `["/api/${path}", () => import("./api/${path}/[id]/route.js")]`;
  });
  return `const routes = new Map([
${entries.join(",\n")}
]);
${RESPONDED(last)}
Deno.serve(${SERVE}, async (request) => {
  const { pathname } = new URL(request.url);
  const end = pathname.lastIndexOf("/");
  request.params = { id: pathname.slice(end + 1) };
  const module = await routes.get(pathname.slice(0, end))();
  return module[request.method](request);
});
`;
}

function bough(options: string, last: string): string {
  return `import { Framework } from "@bough/framework";
${RESPONDED(last)}
await new Framework({ ${options} }).serve(${SERVE});
`;
}
