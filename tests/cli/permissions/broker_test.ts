/** The protocol by which Deno asks a program for permissions. */
import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { connect } from "node:net";
import { listen, type Question } from "../../../src/cli/permissions/broker.ts";

const IS_WINDOWS = Deno.build.os === "windows";

/** Asks a broker; returns its answers, and the questions that it passes on. */
async function asked(
  all: readonly (readonly [permission: string, value?: string])[],
  { first = 5, isRunKnown = false } = {},
): Promise<{ answers: string[]; questions: Question[] }> {
  const questions: Question[] = [];
  const answers: string[] = [];
  {
    await using broker = await listen(
      (each) => questions.push(each),
      isRunKnown,
    );
    const socket = connect(broker.env.DENO_PERMISSION_BROKER_PATH!);
    for (const [id, [permission, value]] of all.entries()) {
      const question = { v: 1, pid: 7, id, permission, value };
      const bytes = new TextEncoder().encode(`${JSON.stringify(question)}\n`);
      const cut = Math.min(first, bytes.length - 1);
      socket.write(bytes.slice(0, cut));
      // Not sent at once with the rest.
      await new Promise((go) => setTimeout(go, 20));
      socket.write(bytes.slice(cut));
      const [answer] = await once(socket, "data");
      const { id: answered, result } = JSON.parse(`${answer}`);
      assertEquals(answered, id);
      answers.push(result);
    }
    socket.destroy();
    await once(socket, "close");
    // The broker notices the end of a connection later.
    await new Promise((go) => setTimeout(go, 20));
  }
  return { answers, questions };
}

Deno.test({
  name: "the broker allows everything, and reads questions in any pieces",
  ignore: IS_WINDOWS,
  async fn() {
    const text = '{"v":1,"pid":7,"id":0,"permission":"read","value":"ö"}';
    // Between the two bytes of "ö".
    const first = text.indexOf("ö") + 1;
    const all = [["read", "ö"], ["env"], ["later", "x"]] as const;
    assertEquals(await asked(all, { first }), {
      // A later version of Deno may ask for another kind.
      answers: ["allow", "allow", "deny"],
      questions: [
        { pid: 7, kind: "read", value: "ö" },
        { pid: 7, kind: "env", value: null },
      ],
    });
  },
});

Deno.test({
  name: "the broker refuses to run all programs, to learn the program",
  ignore: IS_WINDOWS,
  async fn() {
    const git = { pid: 7, kind: "run", value: "git" } as const;
    const env = { pid: 7, kind: "env", value: "A" } as const;
    // Another thread of the process may ask in between.
    assertEquals(await asked([["run"], ["env", "A"], ["run", "git"]]), {
      answers: ["deny", "allow", "allow"],
      questions: [env, git],
    });
    assertEquals(await asked([["run"], ["env", "A"]], { isRunKnown: true }), {
      answers: ["allow", "allow"],
      questions: [{ pid: 7, kind: "run", value: null }, env],
    });
  },
});
