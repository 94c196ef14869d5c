import { assertEquals } from "@std/assert";
import { compare, type Measurement, orderOfRound } from "./compare.ts";

Deno.test("orderOfRound() puts each server first equally often", () => {
  const orders = (servers: string[]): string[] =>
    servers.concat(servers).map((_, round) =>
      orderOfRound(servers, round).join("")
    );
  assertEquals(
    [orders(["a", "b"]), orders(["a", "b", "c"])],
    [
      ["ab", "ba", "ba", "ab"],
      ["abc", "bca", "cab", "cba", "acb", "bac"],
    ],
  );
});

Deno.test("compare() divides only within a round and a process", () => {
  // The machine is ten times slower in the second round.
  const measurements = ([
    ["raw", "static", 0, 0, 1000],
    ["bough", "static", 0, 0, 800],
    ["bough", "static", 0, 1, 900],
    ["raw", "static", 0, 1, 900],
    ["bough", "static", 1, 0, 90],
    ["raw", "static", 1, 0, 100],
    ["raw", "param", 0, 0, 100],
    ["bough", "param", 0, 0, 20],
    ["raw", "param", 0, 1, 100],
    ["bough", "param", 0, 1, 100],
    ["raw", "param", 1, 0, 100],
    ["bough", "param", 1, 0, 40],
  ] as const).map(([server, name, round, process, requests]): Measurement => ({
    ...{ server, case: name, round, process, requests },
    ...{ seconds: 1, cpuSeconds: 1, p99: 1, memory: 1 },
  }));

  const { all, ...byCase } = compare(measurements, {
    server: "bough",
    reference: "raw",
    figure: (load) => load.requests / load.seconds,
  });

  assertEquals(byCase, { static: [0.8, 1, 0.9], param: [0.2, 1, 0.4] });
  const means = all!.map((mean) => mean.toFixed(6));
  assertEquals(means, ["0.400000", "1.000000", "0.600000"]);
});
