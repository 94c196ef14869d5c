import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { walk } from "@std/fs/walk";
import { Arguments } from "../../tools/mutation/argued.ts";
import { changeOf, type Mutant, plant } from "../../tools/mutation/mutant.ts";
import { findFaults } from "../../tools/mutation/operators.ts";
import { measureSuite, parseLcov } from "../../tools/mutation/suite.ts";
import { select } from "../../tools/mutation/select.ts";
import { Trials, type TrialSpace } from "../../tools/mutation/trial.ts";
import type { Outcome, Workspace } from "../../tools/mutation/workspace.ts";
import { TestFolder } from "../support/application.ts";
import { WorkingFolder } from "../support/working_folder.ts";

Deno.test("parseLcov() counts all lines of an entered function as run", () => {
  const lcov = `SF:/srv/src/a.ts
FN:2,entered
FN:5,other
FNDA:1,entered
FNDA:0,other
DA:1,1
DA:2,1
DA:3,0
DA:5,0
DA:6,0
end_of_record
SF:/srv/src/b.ts
DA:7,2
end_of_record
`;
  assertEquals(parseLcov(lcov, "/srv"), {
    "src/a.ts": [1, 2, 3],
    "src/b.ts": [7],
  });
});

/** A source with each of its faults planted in turn. */
function mutations(text: string): string[] {
  return findFaults(text).map((fault) => plant(text, { file: "", ...fault }))
    .sort();
}

Deno.test("findFaults() finds faults that Stryker does not plant", () => {
  for (
    const [text, ...expected] of [
      ["a.b = c;", ";"],
      ["await run();", ";", "run();"],
      ["async () => await a;"],
      ["x(500);", "(500);", "x(501);"],
      ["let x = a ? b : c;", "let x = a ? c : b;"],
      ["let x = a ? -1 : 1;", "let x = a ? 1 : -1;"],
      [
        "let x = f(g(y)) as 5;",
        "let x = (g(y)) as 5;",
        "let x = f((y)) as 5;",
      ],
      ["() => { return a; }", "() => { return undefined; }"],
      ["f(a, b); f(...a); f();"],
      ['import x from "y"; type A = 1; let b: 2;'],
    ]
  ) assertEquals(mutations(text!), expected, text);
  const returning = (code: string) =>
    mutations(`async () => { ${code} }`)
      .filter((text) => !text.includes("await"))
      .map((text) => text.slice("async () => { ".length, -" }".length));
  for (
    const [code, ...expected] of [
      ["return await a;", "return undefined;"],
      [
        "try { return await a; } catch {}",
        "try { return a; } catch {}",
        "try { return undefined; } catch {}",
      ],
      [
        "try {} catch { return await a; }",
        "try {} catch { return undefined; }",
      ],
      [
        "try {} catch { return await a; } finally {}",
        "try {} catch { return a; } finally {}",
        "try {} catch { return undefined; } finally {}",
      ],
    ]
  ) assertEquals(returning(code!), expected, code);
});

const TEXT = `function double(n: number) {
  return times(
    n, 2);
}
`;

/** A mutant that replaces a string, which occurs once in `TEXT`. */
function mutantOf(original: string, replacement: string): Mutant {
  const start = TEXT.indexOf(original);
  const end = start + original.length;
  return { file: "src/a.ts", kind: "test", start, end, replacement };
}

Deno.test("changeOf() shows the changed code on one line, before and after", () => {
  assertEquals(changeOf(TEXT, mutantOf("2", "3")), {
    line: 3,
    before: "n, 2);",
    after: "n, 3);",
  });
  assertEquals(changeOf(TEXT, mutantOf("times(\n    n, 2)", "(\n n)")), {
    line: 2,
    before: "return times(",
    after: "return ( n);",
  });
});

Deno.test("an argument finds its mutants by the text of their line, even if the line has moved", () => {
  const one = {
    file: "src/before.ts",
    before: "n, 2);",
    after: ["n, 4);", "n, 3);"],
    reason: "for this test",
  };
  const at = (texts: Record<string, string>) =>
    new Arguments([one], new Map(Object.entries(texts)));
  const moved = at({ "src/a.ts": TEXT });
  assertEquals(moved.include(mutantOf("2", "3"), TEXT), true);
  assertEquals(moved.include(mutantOf("2", "5"), TEXT), false);
  assertEquals(moved.include(mutantOf("n, 2", "2"), TEXT), false);
  assertEquals(moved.stale(), []);
  // The same line of another file does not count.
  const both = at({ "src/a.ts": TEXT, "src/before.ts": TEXT });
  assertEquals(both.include(mutantOf("2", "3"), TEXT), false);
  assertEquals(at({ "src/a.ts": "n, 2" }).stale(), [one]);
});

Deno.test("each argument in equivalent.json is about a line of src/", async () => {
  const texts = new Map<string, string>();
  for await (const { path, isFile } of walk("src", { exts: [".ts"] })) {
    if (isFile) texts.set(path, await Deno.readTextFile(path));
  }
  const stale = (await Arguments.read(texts)).stale();
  assertEquals(stale.map(({ file, before }) => `${file}: ${before}`), []);
});

/** Tries a mutant on one test file; returns whether it was found, and the runs. */
async function trial(
  seconds: number,
  results: readonly Outcome["result"][],
): Promise<unknown[]> {
  const runs: string[] = [];
  let text = TEXT;
  const space: TrialSpace = {
    write(_file, changed) {
      text = changed;
      return Promise.resolve();
    },
    test() {
      const result = results[runs.length]!;
      runs.push(text === TEXT ? "without" : "with");
      return Promise.resolve({ result, output: "" });
    },
  };
  const path = "tests/a_test.ts";
  const suite = [{ path, seconds, lines: { "src/a.ts": [3] } }];
  const trials = new Trials(suite, new Map([["src/a.ts", TEXT]]), Infinity);
  const { foundBy } = await trials.try(mutantOf("2", "3"), space);
  assertEquals(text, TEXT);
  return [foundBy === path, ...runs];
}

Deno.test("trials confirm a timeout, and a failure of a slow file, before they count it", async () => {
  const twice = ["with", "without"];
  const thrice = [...twice, "with"];
  for (
    const [seconds, results, isFound, runs] of [
      [1, "good", false, ["with"]],
      [1, "failed", true, ["with"]],
      [1, "late good late", true, thrice],
      [1, "late good good", false, thrice],
      [1, "late late", false, twice],
      [9, "failed good failed", true, thrice],
      [9, "failed good good", false, thrice],
      [9, "failed failed", false, twice],
    ] as const
  ) {
    const all = results.split(" ") as Outcome["result"][];
    const found = await trial(seconds, all);
    assertEquals(found, [isFound, ...runs], `${seconds} ${results}`);
  }
});

Deno.test("select() takes mutants of each file, more of larger files, and the same for a seed", async () => {
  const sizes: Readonly<Record<string, number>> = { a: 500, b: 100, c: 1 };
  const all = Object.entries(sizes).flatMap(([file, size]) =>
    Array.from({ length: size }, (_, start): Mutant => {
      return { file, kind: "", start, end: start, replacement: "" };
    })
  );
  const choose = (seed: number, count = 61) =>
    select(all, {
      count,
      seed,
      // As if every other mutant did not type-check.
      compiling: (some) =>
        Promise.resolve(some.filter(({ start }) => start % 2 === 0)),
    });
  const chosen = await choose(1);
  const perFile = (file: string) =>
    chosen.filter((mutant) => mutant.file === file).length;
  assertEquals(chosen.length, 61);
  assertEquals(new Set(chosen).size, 61);
  assertEquals(perFile("c"), 1);
  assertEquals(perFile("a") > 3 * perFile("b"), true);
  assertEquals(await choose(1), chosen);
  assertNotEquals(await choose(2), chosen);
  assertEquals((await choose(1, Infinity)).length, 250 + 50 + 1);
});

Deno.test("measureSuite() measures only changed files again, even after an interruption", async () => {
  await using folder = await TestFolder.create({});
  const files = ["a_test.ts", "b_test.ts", "c_test.ts"];
  /** Measures the suite; returns which files were run, and which were left out. */
  const measure = async (b = "1", endAt?: string, failing?: string) => {
    const runs: string[] = [];
    const printed: string[] = [];
    const workspace = {
      root: folder.path,
      files,
      read: (file: string) => Promise.resolve(file === "b_test.ts" ? b : ""),
      run: () => Promise.resolve({ result: "good", output: "" }),
      test(file: string) {
        if (file === endAt) throw new Error("broken off");
        runs.push(file);
        const result = file === failing ? "failed" : "good";
        return Promise.resolve({ result, output: "" });
      },
    } as unknown as Workspace;
    const suite = await measureSuite(workspace, (line) => printed.push(line));
    return {
      runs,
      suite: suite.map(({ path }) => path),
      leftOut: printed.filter((line) => line.startsWith("LEFT OUT")),
    };
  };
  using _folder = new WorkingFolder(folder.path);
  assertEquals((await measure()).runs, files);
  assertEquals((await measure()).runs, []);
  await assertRejects(() => measure("2", "b_test.ts"));
  assertEquals(await measure("2"), {
    runs: ["b_test.ts"],
    suite: files,
    leftOut: [],
  });
  assertEquals(await measure("3", undefined, "b_test.ts"), {
    runs: ["b_test.ts", "b_test.ts"],
    suite: ["a_test.ts", "c_test.ts"],
    leftOut: ["LEFT OUT, since it fails without a mutant: b_test.ts"],
  });
});
