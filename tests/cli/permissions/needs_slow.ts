/** Planted needs: `bough permissions --check` finds each, and nothing else. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { boughWith, type CommandOutcome } from "../support.ts";
import {
  type Change,
  HARMLESS,
  type Need,
  NEEDS,
  OF_SERVER,
  OF_TESTS,
  setsOf,
  SHARED_WITH_TESTS,
} from "./needs.ts";
import {
  createProject,
  createService,
  IMPORTS,
  recordTests,
  testOf,
} from "./project.ts";

const FROM = "--from=deno test --no-check";

/** The parts of `--json` that the tests read. */
interface Report {
  readonly new: readonly {
    readonly kind: string;
    readonly value: string;
    readonly by: string | null;
    readonly dependency?: string;
    readonly set: string;
  }[];
  readonly accesses: readonly {
    readonly value: string | true;
    readonly count: number;
    readonly owner: string;
  }[];
  readonly questions: number;
  readonly proven: boolean;
}

/** An application with some changes, and with sets that suffice without the changes. */
async function changed(
  changes: readonly Change[],
  temporaryFolder: string,
): Promise<TestFolder> {
  const folders = [..."abcdefghi", "shared"];
  return await createProject({
    ...Object.fromEntries(
      folders.flatMap((name) =>
        ["in", "out"].flatMap((parent) =>
          ["x.txt", "y.txt"].map((file) => [`${parent}/${name}/${file}`, ""])
        )
      ),
    ),
    "in/i/x.db": "",
    "tests/data.txt": "",
    "lib/shared.js": "",
    ...Object.assign({}, ...changes.map(({ files }) => files)),
    "main_test.ts": testOf(...changes.map(({ id }) => `/api/${id}`)),
    "deno.jsonc": configOf(setsOf(temporaryFolder)),
  });
}

function configOf(permissions: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    imports: IMPORTS,
    permissions,
    vendor: true,
    nodeModulesDir: "none",
  });
}

/** Checks the sets of an application with some changes. */
async function check(
  changes: readonly Change[],
): Promise<CommandOutcome & { readonly report: Report }> {
  // The tests' set allows this folder, which must not contain the project.
  await using temporary = await TestFolder.create({});
  await using folder = await changed(changes, temporary.path);
  const outcome = await boughWith(
    { TMPDIR: temporary.path },
    folder.path,
    "permissions",
    "main.ts",
    FROM,
    "--write=serve,test",
    "--check",
    "--json",
  );
  return { ...outcome, report: JSON.parse(outcome.stdout || "{}") };
}

/** The entry of the report for a need, once for each set. */
function entriesFor(
  { kind, value, by, dependency }: Need,
): Report["new"] {
  const place = { by, ...(dependency !== undefined && { dependency }) };
  return ["serve", "test"].map((set) => ({ kind, value, ...place, set }));
}

/** The new entries of a report, without routes, in a fixed order. */
function sorted(entries: Report["new"]): string[] {
  return entries.map(({ kind, value, by, dependency, set }) =>
    JSON.stringify({ kind, value, by, dependency, set })
  ).sort();
}

// Slow: eleven runs of the command, 14 CPU seconds.
Deno.test("--check finds each of 40 planted needs in one run, with its place", async () => {
  assertEquals(NEEDS.length, 40);
  const { code, stderr, report } = await check(NEEDS);
  assertEquals(code, 1, stderr);
  assertEquals(sorted(report.new), sorted(NEEDS.flatMap(entriesFor)), stderr);
});

for (const [kind, needs] of Map.groupBy(NEEDS, ({ kind }) => kind)) {
  const [need] = needs as [Need];
  Deno.test(`--check names a single planted need of the kind ${kind}`, async () => {
    const { code, stderr, report } = await check([need]);
    assertEquals(code, 1, stderr);
    assertEquals(sorted(report.new), sorted(entriesFor(need)), stderr);
    assertStringIncludes(
      stderr,
      `the permission set "serve" lacks --allow-${kind}=${need.value}: ${need.by} needs it`,
    );
  });
}

Deno.test("--check accepts 40 changes that the sets already allow", async () => {
  assertEquals(HARMLESS.length, 40);
  const { code, stderr, report } = await check(HARMLESS);
  assertEquals([code, report.new, report.proven], [0, [], true], stderr);
});

Deno.test("an access of the server is the server's, even if its tests load the module or share the access", async () => {
  await using folder = await createProject({
    ...SHARED_WITH_TESTS,
    "deno.jsonc": configOf({}),
  });
  const { code, stdout, stderr } = await recordTests(
    folder,
    "--json",
  );
  assertEquals(code, 0, stderr);
  const { accesses }: Report = JSON.parse(stdout);
  const owners = new Map(accesses.map(({ value, owner }) => [value, owner]));
  for (const value of OF_SERVER) {
    assertEquals(owners.get(value), "server", value);
  }
  for (const value of OF_TESTS) assertEquals(owners.get(value), "tests", value);
});

/**
 * Stands between Deno's processes and the permission broker of a command in this
 * process, and counts the lines that Deno sends. Deno sends one line for each question.
 */
class QuestionCounter implements AsyncDisposable {
  count = 0;
  readonly #Command = Deno.Command;
  readonly #stack = new AsyncDisposableStack();

  constructor() {
    const listen = (path: string) => this.#listen(path);
    Reflect.set(
      Deno,
      "Command",
      class extends Deno.Command {
        constructor(program: string | URL, options: Deno.CommandOptions = {}) {
          const { [BROKER]: path, ...env } = options.env ?? {};
          super(program, {
            ...options,
            env: path === undefined ? env : { ...env, [BROKER]: listen(path) },
          });
        }
      },
    );
  }

  /** Listens in place of a broker; returns the path of the new socket. */
  #listen(broker: string): string {
    const path = `${broker}-counter`;
    const listener = Deno.listen({ transport: "unix", path });
    const serving = (async () => {
      for await (const deno of listener) {
        const answers = await Deno.connect({ transport: "unix", path: broker });
        const count = (bytes: Uint8Array) =>
          this.count += bytes.filter((byte) => byte === NEW_LINE).length;
        const counted = new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, controller) {
            count(bytes);
            controller.enqueue(bytes);
          },
        });
        // Either end may close first.
        deno.readable.pipeThrough(counted).pipeTo(answers.writable)
          .catch(() => {});
        answers.readable.pipeTo(deno.writable).catch(() => {});
      }
    })();
    this.#stack.defer(async () => {
      listener.close();
      await serving;
    });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Object.assign(Deno, { Command: this.#Command });
    await this.#stack.disposeAsync();
  }
}

/** The variable that names the socket of the broker. */
const BROKER = "DENO_PERMISSION_BROKER_PATH";
const NEW_LINE = 10;

for (
  const [what, create] of [
    [
      "an application with 80 changes",
      () => changed([...NEEDS, ...HARMLESS], "/tmp"),
    ],
    ["a service with child processes", createService],
  ] as const
) {
  Deno.test({
    name: `the report accounts for each question that Deno asked: ${what}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using folder = await create();
      await using counter = new QuestionCounter();
      const { code, stdout, stderr } = await recordTests(
        folder,
        "--json",
      );
      assertEquals(code, 0, stderr);
      const { accesses, questions }: Report = JSON.parse(stdout);
      assert(counter.count > 50, `${counter.count}`);
      assertEquals(questions, counter.count);
      const counts = accesses.map(({ count }) => count);
      assertEquals(counts.reduce((sum, count) => sum + count), counter.count);
    },
  });
}
