import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;

// Slow: it writes 10,000 files, and imports them three times, 10 CPU seconds.
Deno.test("routes and check of 10,000 routes take a small multiple of importing them", async () => {
  await using folder = await TestFolder.create({});
  const imports = [];
  for (let index = 0; index < 10_000; index++) {
    const path = `api/g${index % 97}/r${index}`;
    Deno.mkdirSync(join(folder.path, path), { recursive: true });
    Deno.writeTextFileSync(join(folder.path, path, "route.js"), GET);
    imports.push(`import "./${path}/route.js";`);
  }
  await folder.write("all.js", imports.join("\n"));
  const seconds = async (run: () => Promise<{ code: number }>) => {
    const start = performance.now();
    assertEquals((await run()).code, 0);
    return (performance.now() - start) / 1000;
  };
  // In one go, since the machine may be busy: only the ratio tells something.
  const importing = await seconds(() =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "all.js"],
      cwd: folder.path,
    }).output()
  );
  for (const name of ["routes", "check"]) {
    const took = await seconds(() => bough(folder.path, name));
    console.log(
      `bough ${name}: ${took.toFixed(1)} s, importing: ${
        importing.toFixed(1)
      } s`,
    );
    assert(took < 5 * importing, `${name} took ${took} s, not ${importing} s`);
  }
});
