/**
 * Compares an echo through Bough with an echo by hand, in interleaved rounds:
 * `deno run -A tests/instruments/bench/live/sockets.ts`. It counts the messages for each
 * second of processor time of the server, which other processes disturb less than wall
 * time. It requires Linux.
 *
 * Each of 16 sockets has 8 messages in flight. Options: `--rounds=9`, `--seconds=1`.
 */
import { parseArgs } from "@std/cli/parse-args";
import { fromFileUrl } from "@std/path";
import { median } from "../report.ts";

const { rounds = "9", seconds = "1" } = parseArgs(Deno.args, {
  string: ["rounds", "seconds"],
});

const SOCKETS = 16;
const ON_THEIR_WAY = 8;

/** The compared paths by the name of the pair, the path of Bough first. */
const PAIRS = [
  { name: "without schemas", path: "plain", by: "bare" },
  { name: "with schemas", path: "typed", by: "byHand" },
] as const;

const MESSAGE = JSON.stringify({ id: 7, text: "a message of ordinary length" });

/** A server in its own process. */
async function start(name: string): Promise<{
  readonly port: number;
  readonly process: Deno.ChildProcess;
}> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      fromFileUrl(import.meta.resolve("./socket_server.ts")),
      name,
    ],
    stdout: "piped",
  }).spawn();
  for await (
    const text of process.stdout.pipeThrough(new TextDecoderStream())
  ) {
    return { port: Number(text), process };
  }
  throw new Error(`The server "${name}" does not start`);
}

/** The processor time of a process, in seconds (proc(5), `stat`). */
async function processorTime(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const TICKS = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The messages that return over all sockets, for each second of the server. */
async function measure(url: string, pid: number): Promise<number> {
  let count = 0;
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      const socket = new WebSocket(url);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      socket.onmessage = ({ data }) => {
        if (data !== MESSAGE) throw new Error(`It came back as ${data}`);
        count++;
        socket.send(MESSAGE);
      };
      return socket;
    }),
  );
  for (const socket of sockets) {
    for (let sent = 0; sent < ON_THEIR_WAY; sent++) socket.send(MESSAGE);
  }
  await wait(0.2);
  count = 0;
  const begin = await processorTime(pid);
  await wait(Number(seconds));
  const rate = count / (await processorTime(pid) - begin);
  await Promise.all(sockets.map((socket) => {
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.onmessage = null;
    socket.close();
    return closed;
  }));
  return rate;
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

for (const { name, path, by } of PAIRS) {
  const [own, other] = await Promise.all([start("bough"), start(by)]);
  const rates = { own: [] as number[], other: [] as number[] };
  // In the first round, V8 compiles the code.
  for (let round = 0; round <= Number(rounds); round++) {
    const order = round % 2 === 0
      ? ["own", "other"] as const
      : ["other", "own"] as const;
    for (const side of order) {
      const { port, process } = side === "own" ? own : other;
      const url = `ws://127.0.0.1:${port}/${path}`;
      const rate = await measure(url, process.pid);
      if (round > 0) rates[side].push(rate);
    }
  }
  const ratios = rates.own.map((rate, round) => rate / rates.other[round]!);
  console.log(
    `${name}: ${Math.round(median(rates.own))} messages, by hand ${
      Math.round(median(rates.other))
    }, share ${median(ratios).toFixed(3)} (${
      ratios.map((ratio) => ratio.toFixed(2)).join(" ")
    })`,
  );
  for (const { process } of [own, other]) {
    process.kill();
    await process.status;
  }
}
