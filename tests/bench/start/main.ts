/**
 * Measures the time from the start of the process to the first answer, with
 * route files of about 20 lines and a zod schema each: eager, lazy, and one
 * hand-made module that imports the same files statically. Rounds are
 * interleaved; the first one, which fills Deno's caches, is not counted.
 *
 *     deno run -A tests/bench/start/main.ts [--files=1,1000,10000] [--rounds=5]
 */
import { dirname, fromFileUrl, join } from "@std/path";
import { median, option, table } from "../report.ts";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const SERVE = "{ hostname: '127.0.0.1', port: 0, onListen: answered }";

/** Asks for the last route, says how long all took, and ends. */
const ANSWERED = (last: string): string =>
  `async function answered({ port }) {
  const response = await fetch(\`http://127.0.0.1:\${port}${last}\`);
  if (response.status !== 200) throw new Error(await response.text());
  await response.body.cancel();
  console.log(performance.timeOrigin + performance.now());
  Deno.exit();
}
`;

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

/** The same routes in one module of static imports, with the simplest router. */
function handMade(files: number): string {
  const indexes = Array.from({ length: files }, (_, index) => index);
  return `${
    indexes.map((index) =>
      `import * as m${index} from "./api/${routePath(index)}/[id]/route.js";`
    ).join("\n")
  }
const routes = new Map([
${indexes.map((index) => `["/api/${routePath(index)}", m${index}]`).join(",\n")}
]);
${ANSWERED(`/api/${routePath(files - 1)}/7`)}
Deno.serve(${SERVE}, (request) => {
  const { pathname } = new URL(request.url);
  const end = pathname.lastIndexOf("/");
  request.params = { id: pathname.slice(end + 1) };
  return routes.get(pathname.slice(0, end))[request.method](request);
});
`;
}

function bough(files: number, lazy: boolean): string {
  return `import { Framework } from "@bough/framework";
${ANSWERED(`/api/${routePath(files - 1)}/7`)}
await new Framework({ apiDir: "api", lazy: ${lazy} }).serve(${SERVE});
`;
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** Milliseconds from before the process starts to its first answer. */
async function run(folder: string, main: string): Promise<number> {
  const before = performance.timeOrigin + performance.now();
  const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", CONFIG, main],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout)) - before;
}

const rounds = Number(option("rounds") ?? 5);
const rows: string[][] = [];
for (const count of (option("files") ?? "1,1000,10000").split(",")) {
  const files = Number(count);
  const folder = await Deno.makeTempDir();
  try {
    for (let index = 0; index < files; index++) {
      const path = join(folder, "api", routePath(index), "[id]", "route.js");
      await write(path, routeFile(index));
    }
    const mains = ["hand_made.js", "eager.js", "lazy.js"];
    await write(join(folder, "hand_made.js"), handMade(files));
    await write(join(folder, "eager.js"), bough(files, false));
    await write(join(folder, "lazy.js"), bough(files, true));
    const times = new Map<string, number[]>(mains.map((main) => [main, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const main of mains) {
        const time = await run(folder, main);
        if (round > 0) times.get(main)!.push(time);
      }
    }
    const [reference, eager, lazy] = mains.map((main) =>
      median(times.get(main)!)
    );
    rows.push([
      count,
      `${Math.round(reference!)} ms`,
      (eager! / reference!).toFixed(2),
      (lazy! / reference!).toFixed(2),
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
console.log(table(["route files", "static imports", "eager", "lazy"], rows));
