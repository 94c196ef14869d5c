// Slow: the process waits 10 seconds for its interval.
import { assertEquals } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { ServingProcess, UNIX } from "./support.ts";

Deno.test(
  "with shutdownTimeout: Infinity, an interval does not keep the process alive",
  UNIX,
  async () => {
    await using folder = await TestFolder.create({
      "main.ts": `import { Framework } from "@bough/framework";
      setInterval(() => {}, 1_000_000);
      const manifest = { "route.ts": { GET: () => new Response() } };
      const app = new Framework({ manifest });
      await app.serve({ port: 0, shutdownTimeout: Infinity });`,
    });
    await using process = new ServingProcess(folder.path, ["--allow-net"]);
    await process.listen();
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 0);
  },
);
