/**
 * Applications without faults pass. The suite tries a few seeds; for 50:
 * `BOUGH_SEEDS=50 deno test -P tests/testing/no_alarm_slow.ts`.
 */
import { Framework } from "@bough/framework";
import { checkContracts, type CheckOptions } from "@bough/framework/testing";
import type { ContractFailure } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { clearNotes } from "../../examples/recipes/changes/notes.ts";
import { openFolder } from "../../examples/recipes/uploads/uploads.ts";
import { TestFolder } from "../support/application.ts";
import { trees } from "../support/contract_trees.ts";

const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 2);

const ROOT = new URL("../../", import.meta.url);

interface Tree {
  readonly apiPrefix?: string;
  /** Prepares the application, which may write to the folder. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** The operations that reject all generated requests, as a note says. */
  readonly rejecting?: readonly string[];
  /** The properties and operations without a readable result. */
  readonly unfollowed?: readonly string[];
}

/** Applications of this repository, without the operations that fail by design. */
const TREES: Readonly<Record<string, CheckOptions & Tree>> = {
  "examples/minimal/": {},
  "examples/recipes/changes/": { reset: clearNotes },
  "examples/recipes/idempotency/": {},
  "examples/recipes/pagination/": {},
  "examples/recipes/rate_limit/": {},
  // The handler reads a body that no schema declares.
  "examples/recipes/redirects/": { rejecting: ["PUT /api/tasks/[id]"] },
  // A password takes a tenth of a second.
  "examples/recipes/sessions/": {
    skip: ["POST /session"],
    rejecting: ["GET /api/account"],
  },
  // No generated path is that of a file.
  "examples/recipes/static_files/": {
    apiPrefix: "",
    rejecting: ["GET /[...]"],
  },
  "examples/recipes/uploads/": { prepare: openFolder },
  "tests/instruments/bench/memory/": {},
  "tests/instruments/soak/": {
    as: { authorization: "Bearer s3cret" },
    rejecting: ["POST /api/copies", "PUT /api/users/[id]"],
    unfollowed: ["pages GET /api/search"], // has a page, but no list
    skip: [
      "/broken",
      "/downloads/[size]", // endless, unless the size is a number
      "/memory",
      "/proxied",
      "/refused/[status]",
      // Their guard asks for a token in the query, which no schema declares.
      "/rooms/[room]",
      "/topics/[topic]",
    ],
  },
};

/** Whether a failure is a false alarm. Recipes do not declare each 4xx. */
function isFalse({ expected }: ContractFailure): boolean {
  return !/^a declared status; to allow 4\d\d, declare response:/.test(
    expected,
  );
}

function shown({ property, operation, seen, seed, curl }: ContractFailure) {
  return { property, operation, seen, seed, curl: curl.at(-1) };
}

// Slow: many seeds look for a false alarm, 20 CPU seconds.
for (
  const [path, tree] of Object.entries(TREES)
) {
  const { apiPrefix = "api", rejecting = [], unfollowed = [], ...others } =
    tree;
  const { prepare, ...options } = others;
  Deno.test(`nothing is found in ${path}`, async () => {
    await using folder = await TestFolder.create({});
    await prepare?.(folder.path);
    const apiDir = new URL(`${path}api/`, ROOT);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failures, results } = await checkContracts(
        () => new Framework({ apiDir, apiPrefix }),
        { seed, runs: 25, ...options },
      );
      assertEquals(failures.filter(isFalse).map(shown), []);
      const silent = results.filter(({ runs, note }) => runs === 0 && !note);
      assertEquals(silent, []);
      assertEquals(
        results
          .filter(({ runs, operation }) =>
            runs === 0 && !rejecting.includes(operation)
          )
          .map(({ property, operation }) => `${property} ${operation}`),
        unfollowed,
      );
    }
  });
}

Deno.test("nothing is found in random trees of contracts", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const { files } of fc.sample(trees, { numRuns: 8, seed })) {
      await using folder = await TestFolder.create(files);
      const { failures } = await checkContracts(
        () => new Framework({ apiDir: folder.path }),
        {
          seed,
          runs: 15,
          // Their guards reject only requests that ask for a rejection.
          properties: ["failure", "accepted", "refused", "declared", "methods"],
        },
      );
      assertEquals(failures.map(shown), [], JSON.stringify(files));
    }
  }
});
