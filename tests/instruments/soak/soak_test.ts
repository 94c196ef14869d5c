import { assertEquals } from "@std/assert";
import { CapturedLog, TestServer } from "../../support/application.ts";
import { until } from "../../live/support.ts";
import { createApplication } from "./application.ts";
import { open } from "./live.ts";
import { CLONE_NOTE } from "./server_process.ts";
import { Traffic } from "./traffic.ts";

Deno.test({
  name: "mixed traffic gets no wrong response and leaves nothing open",
  // Off by default, as of Deno 2.9.
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    using log = new CapturedLog();
    await using server = new TestServer(
      await createApplication().serve({
        hostname: "127.0.0.1",
        port: 0,
        onListen: () => {},
      }),
    );
    const traffic = new Traffic(server.port, 1);
    await traffic.runUntil(
      8,
      () => traffic.missing.size === 0 && traffic.count >= 500,
    );
    assertEquals(traffic.wrong, []);
    await until(() => open.streams === 0 && open.sockets === 0);
    assertEquals(log.lines.filter((line) => !CLONE_NOTE.test(line)), []);
  },
});
