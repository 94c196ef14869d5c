/** Checks that requests, the document and `bough routes` agree about contracts of folders. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createDocument, type Operation } from "@bough/framework/openapi";
import { boughIn } from "../../cli/support.ts";
import { FolderApplication, WAYS } from "../../support/application.ts";
import {
  type Branch,
  type Level,
  NAMED_PARTS,
  trees,
} from "../../support/contract_trees.ts";

/** A value of the innermost level that has one, and the file of the level. */
function innermost<Value>(
  { levels }: Branch,
  read: (level: Level) => Value | undefined,
): { value: Value; file: string } | undefined {
  return levels.flatMap((level) => {
    const value = read(level);
    return value === undefined ? [] : [{ value, file: level.file }];
  }).at(-1);
}

const declaring = ({ levels }: Branch, part: typeof NAMED_PARTS[number]) =>
  levels.flatMap(({ parts, file }) =>
    parts[part] === undefined ? [] : [{ names: parts[part], file }]
  );

const filesByStatus = ({ levels }: Branch) =>
  Object.fromEntries(
    levels.flatMap(({ response, file }) =>
      response.map((status) => [status, file])
    ),
  );

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
    ...["q", "r", "x-h", "x-i", ""].map((missing) => ({
      missing,
      refusedBy: "",
    })),
    ...guards.map(({ file }) => ({ missing: "", refusedBy: file })),
    ...guards.map(({ file }) => ({ missing: "x-h", refusedBy: file })),
  ];
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
    const target = `${
      branch.path.replaceAll(/[[\]]/g, "")
    }?${new URLSearchParams(
      query,
    )}`;
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
      assertEquals(
        errors.map((each: Record<string, string>) =>
          `${each.in} ${each.pointer}`
        ),
        expected.issues,
      );
    }
  }
  return requests.length;
}

function checkOperation(operation: Operation, branch: Branch): void {
  const { security, tags, deprecated, parameters = [] } = operation;
  const scheme = innermost(branch, (level) => level.security)?.value;
  assertEquals(security, scheme === undefined ? scheme : [{ [scheme]: [] }]);
  assertEquals(
    deprecated,
    innermost(branch, (level) => level.deprecated)?.value,
  );
  const listed = innermost(branch, (level) => level.tags);
  if (listed !== undefined) assertEquals(tags, listed.value);
  for (const [part, place] of [["query", "query"], ["headers", "header"]]) {
    const required = new Map<string, boolean>();
    for (const { names } of declaring(branch, part as "query" | "headers")) {
      for (const [name, isRequired] of Object.entries(names)) {
        required.set(name, isRequired || required.get(name) === true);
      }
    }
    assertEquals(
      parameters.filter((each) => each.in === place)
        .map(({ name, required }) => [name, required]).sort(),
      [...required].sort(),
    );
  }
  for (const [status, file] of Object.entries(filesByStatus(branch))) {
    const response = operation.responses[status];
    assert(response !== undefined && "description" in response);
    // Bough itself describes a 403, for a form of another origin.
    assertEquals(response.description.split("; or: ")[0], file);
  }
  const checked = [
    ...NAMED_PARTS.filter((part) => declaring(branch, part).length > 0)
      .map((part) => part === "params" ? "path" : part),
    ...(branch.hasBody ? ["body"] : []),
  ];
  const badRequest = operation.responses[400];
  const parts = badRequest !== undefined && "description" in badRequest
    ? /schema of its ([^;]*?)(?:, or the path .*)?$/.exec(
      badRequest.description,
    )?.[1]?.split(/, | or /) ?? []
    : [];
  assertEquals(parts, checked);
}

function listedOf(branch: Branch): Record<string, unknown> {
  const own = branch.levels.at(-1)!.file;
  const files = NAMED_PARTS.map((part) =>
    [part, declaring(branch, part).map(({ file }) => file)] as const
  ).filter(([, files]) => files.length > 0);
  const response = filesByStatus(branch);
  const security = innermost(
    branch,
    (level) => level.security && [{ [level.security]: [] }],
  );
  const tags = innermost(branch, (level) => level.tags);
  const deprecated = innermost(branch, (level) => level.deprecated);
  return {
    ...Object.fromEntries(files),
    ...(branch.hasBody && { body: [own] }),
    ...(Object.keys(response).length > 0 && { response }),
    ...(security && { security }),
    ...(tags && { tags }),
    ...(deprecated && { deprecated }),
  };
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
        const { document } = createDocument(await application.app.routes(), {
          info: { title: "Trees", version: "1.0.0" },
        });
        const { path } = application.folder;
        const { stdout } = await boughIn(path, "routes", "--json");
        const listed = new Map<string, Record<string, unknown>>(
          JSON.parse(stdout).map((
            { path, operations }: Record<string, Record<string, unknown>>,
          ) => [path, operations!.post]),
        );
        assertEquals(listed.size, branches.length);
        for (const branch of branches) {
          const template = branch.path.replaceAll("[", "{")
            .replaceAll("]", "}");
          checkOperation(document.paths[template]!.post!, branch);
          assertEquals(listed.get(branch.path), listedOf(branch));
        }
      },
    ),
    { numRuns },
  );
  assert(contracts > numRuns / 2, `${contracts} contracts are around routes`);
  assert(requests > 8 * numRuns, `only ${requests} requests were sent`);
}
