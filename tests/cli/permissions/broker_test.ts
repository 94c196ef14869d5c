/** The protocol by which Deno asks a program for permissions. */
import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "@std/path";
import {
  type AccessRequest,
  listen,
} from "../../../src/cli/permissions/broker.ts";
import { TestFolder } from "../../support/application.ts";

Deno.test({
  name: "the broker answers requests that arrive in any pieces",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({});
    const path = join(folder.path, "broker");
    const requests: AccessRequest[] = [];
    let connections = 0;
    await using _ = await listen(path, () => {
      connections++;
      return (request) => {
        requests.push(request);
        return request.kind === "read";
      };
    });
    const socket = connect(path);
    /** Sends a request in two chunks; the first has a number of bytes. */
    const ask = async (request: object, first = 5) => {
      const bytes = new TextEncoder().encode(`${JSON.stringify(request)}\n`);
      socket.write(bytes.slice(0, first));
      // Not sent at once with the rest.
      await new Promise((go) => setTimeout(go, 20));
      socket.write(bytes.slice(first));
      const [answer] = await once(socket, "data");
      return new TextDecoder().decode(answer);
    };
    const read = { v: 1, pid: 7, id: 1, permission: "read", value: "ö" };
    const text = JSON.stringify(read);
    // Between the two bytes of "ö".
    const inside = text.indexOf("ö") + 1;
    assertEquals(await ask(read, inside), '{"id":1,"result":"allow"}\n');
    const env = { v: 1, pid: 7, id: 2, permission: "env" };
    assertEquals(await ask(env), '{"id":2,"result":"deny"}\n');
    // Of a later version of Deno.
    const later = { v: 1, pid: 7, id: 3, permission: "later", value: "x" };
    assertEquals(await ask(later), '{"id":3,"result":"deny"}\n');
    assertEquals(requests, [
      { pid: 7, kind: "read", value: "ö" },
      { pid: 7, kind: "env", value: null },
    ]);
    assertEquals(connections, 1);
    socket.destroy();
    await once(socket, "close");
  },
});
