/**
 * Measures the cost of types: the time of `deno check` for route files whose requests
 * have the types of schema and path, next to the same files with a plain
 * `FrameworkRequest`. Rounds are interleaved.
 *
 *     deno run -A tests/instruments/bench/types/main.ts [--files=300] [--rounds=5]
 */
import { dirname, fromFileUrl, join } from "@std/path";
import { median, option, table } from "../report.ts";

const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));

function routeFile(index: number, typed: boolean): string {
  const request = typed
    ? `FrameworkRequest<typeof schema.post, "/groups/[groupId]/items${index}/[itemId]">`
    : "FrameworkRequest";
  const use = typed
    ? "const { params: { groupId }, validated: { query, body } } = request;\n" +
      "  return Response.json({ groupId, page: query.page + 1, name: body.name.length });"
    : "return Response.json({ params: request.params, validated: request.validated });";
  return `import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";

export const schema = {
  post: {
    query: z.object({ page: z.coerce.number() }),
    body: z.object({
      name: z.string().min(2),
      email: z.email(),
      role: z.enum(["user", "admin"]),
      tags: z.array(z.object({ name: z.string(), weight: z.number() })),
    }),
    response: { 201: z.object({ id: z.number() }) },
  },
};

export function POST(request: ${request}): Response {
  ${use}
}
`;
}

async function write(folder: string, files: number): Promise<void> {
  for (const kind of ["plain", "typed"]) {
    const imports = [];
    for (let index = 0; index < files; index++) {
      const path = join(kind, `item${index}`, "route.ts");
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.writeTextFile(
        join(folder, path),
        routeFile(index, kind === "typed"),
      );
      imports.push(`import "./${path}";`);
    }
    await Deno.writeTextFile(
      join(folder, `${kind}.ts`),
      imports.join("\n") + "\n",
    );
  }
}

/** The seconds of a type check without a cache. */
async function check(folder: string, kind: string): Promise<number> {
  const before = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--config", CONFIG, `${kind}.ts`],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return (performance.now() - before) / 1000;
}

const files = Number(option("files") ?? 300);
const rounds = Number(option("rounds") ?? 5);
const times = new Map<string, number[]>([["plain", []], ["typed", []]]);
for (let round = 0; round < rounds; round++) {
  const folder = await Deno.makeTempDir();
  try {
    // New files each time, so that no cache applies.
    await write(folder, files);
    for (const kind of times.keys()) {
      times.get(kind)!.push(await check(folder, kind));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
console.log(table(
  ["requests", "seconds"],
  [...times].map(([kind, measured]) => [kind, median(measured).toFixed(2)]),
));
