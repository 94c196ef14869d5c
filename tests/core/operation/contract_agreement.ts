/** Checks requests to random trees of contracts. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { FolderApplication, WAYS } from "../../support/application.ts";
import {
  type Branch,
  NAMED_PARTS,
  trees,
} from "../../support/contract_trees.ts";

interface Expected {
  readonly status: number;
  readonly readsBody: boolean;
  readonly issues?: readonly string[];
  readonly validated?: unknown;
}

/** A request that lacks a name, or that a guard rejects. */
interface Attempt {
  readonly missing: string;
  readonly refusedBy: string;
}

/** The query and the headers of a request. */
function sentBy({ missing, refusedBy }: Attempt) {
  const query: Record<string, string> = { q: "1", r: "1" };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "refused-by": refusedBy,
    "x-h": "1",
    "x-i": "1",
  };
  delete query[missing];
  delete headers[missing];
  return { query, headers };
}

/** The expected outcome of a request. */
function outcomeOf({ levels, hasBody }: Branch, attempt: Attempt): Expected {
  const { missing, refusedBy } = attempt;
  const validated: Record<string, Record<string, string>> = {};
  for (const level of levels) {
    const { parts, file, isGuard } = level;
    const issues = NAMED_PARTS.flatMap((part) =>
      parts[part]?.[missing] ? [`${part} #/${missing}`] : []
    );
    const isRoute = level === levels.at(-1);
    if (issues.length > 0) {
      return { status: 400, issues, readsBody: isRoute && hasBody };
    }
    if (isGuard && !isRoute && refusedBy === file) {
      return { status: 401, readsBody: false };
    }
    for (const part of NAMED_PARTS) {
      if (parts[part] === undefined) continue;
      const values = validated[part] ??= {};
      const sent: Record<string, string> = part === "params"
        ? Object.fromEntries(level.captured.map((name) => [name, name]))
        : sentBy(attempt)[part];
      for (const [name, value] of Object.entries(sent)) {
        if (Object.hasOwn(parts[part], name)) {
          values[name] = level.keepsValues ? value : file;
        } else if (level.style !== "strips") values[name] ??= value;
      }
    }
  }
  return {
    status: 200,
    validated: { ...validated, ...(hasBody && { body: { b: "x" } }) },
    readsBody: hasBody,
  };
}

async function checkRequests(
  application: FolderApplication,
  branch: Branch,
): Promise<number> {
  const guards = branch.levels.slice(0, -1).filter(({ isGuard }) => isGuard);
  // The first request, which is mostly invalid, reaches lazy routes before their import.
  const requests = [
    ...["q", "r", "x-h", "x-i", ""].map((missing) => [missing, ""] as const),
    ...guards.map(({ file }) => ["", file] as const),
    ...guards.map(({ file }) => ["x-h", file] as const),
  ].map(([missing, refusedBy]) => ({ missing, refusedBy }));
  for (const request of requests) {
    let pulls = 0;
    const bytes = new TextEncoder().encode('{"b":"x"}');
    const body = new ReadableStream({
      pull(controller) {
        pulls++;
        controller.enqueue(bytes);
        controller.close();
      },
    }, { highWaterMark: 0 });
    const { query, headers } = sentBy(request);
    const path = branch.path.replaceAll(/[[\]]/g, "");
    const target = `${path}?${new URLSearchParams(query)}`;
    const init = { method: "POST", headers, body };
    const response = await application.fetch(target, init);
    const text = await response.text();
    const expected = outcomeOf(branch, request);
    assertEquals(response.status, expected.status, text);
    assertEquals(pulls > 0, expected.readsBody, `${target} read its body`);
    if (expected.status === 200) {
      assertEquals(JSON.parse(text), expected.validated);
      const passed = guards.map(({ file }) => file).toReversed().join(", ");
      assertEquals(response.headers.get("x-passed") ?? "", passed);
    }
    if (expected.status === 400) {
      const { errors } = JSON.parse(text);
      const issues = errors.map((each: { in: string; pointer: string }) =>
        `${each.in} ${each.pointer}`
      );
      assertEquals(issues, expected.issues);
    }
  }
  return requests.length;
}

/** Checks random trees of contracts. */
export async function checkTrees(numRuns: number): Promise<void> {
  let requests = 0;
  let contracts = 0;
  await fc.assert(
    fc.asyncProperty(
      trees,
      fc.boolean(),
      fc.constantFrom(...WAYS),
      async ({ files, branches }, lazy, way) => {
        await using application = await FolderApplication.create(
          files,
          { lazy },
          way,
        );
        for (const branch of branches) {
          requests += await checkRequests(application, branch);
          contracts += branch.levels.length - 1;
        }
      },
    ),
    { numRuns },
  );
  assert(contracts > numRuns / 2, `${contracts} contracts are around routes`);
  assert(requests > 8 * numRuns, `only ${requests} requests were sent`);
}
