/** Faults that the page of contract tests promises to find, with correct twins. */
import { HttpError } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { check, found, type Modules } from "../support.ts";

const text = z.string().min(1).max(50);
const response = { 200: z.unknown(), 404: z.unknown() };

interface Tasks {
  readonly text: string;
  readonly tasks: { taskId: number; text: string }[];
}

/** Projects with tasks, whose `PUT` keeps the tasks and the text if they are correct. */
function projects(
  put: (old: Tasks, text: string) => Tasks,
  get: (tasks: Tasks | undefined) => Tasks,
): Modules {
  const all = new Map<string, Tasks>();
  let count = 0;
  const show = (id: string) => ({ id, ...get(all.get(id)) });
  const find = (id: string | undefined): Tasks => {
    const tasks = all.get(id!);
    if (tasks === undefined) throw new HttpError(404);
    return tasks;
  };
  return {
    "projects/route.ts": {
      schema: { post: { body: z.object({ text }), response: { 201: {} } } },
      POST: ({ validated: { body } }) => {
        const id = String(++count);
        all.set(id, { text: body.text, tasks: [] });
        return Response.json(show(id), { status: 201 });
      },
    },
    "projects/[projectId]/route.ts": {
      schema: {
        get: { response },
        put: { body: z.object({ text }), response },
        delete: { response: { 204: {}, 404: z.unknown() } },
      },
      GET: ({ params: { projectId } }) => Response.json(show(projectId!)),
      PUT: ({ params: { projectId: id }, validated: { body } }) => {
        all.set(id!, put(find(id), body.text));
        return Response.json({});
      },
      DELETE: ({ params: { projectId: id } }) => {
        find(id);
        all.delete(id!);
        return new Response(null, { status: 204 });
      },
    },
    "projects/[projectId]/tasks/route.ts": {
      schema: {
        get: { response },
        post: {
          body: z.object({ text }),
          response: { 201: {}, 404: z.unknown() },
        },
      },
      GET: ({ params }) => Response.json(find(params.projectId).tasks),
      POST: ({ params, validated: { body } }) => {
        const task = { taskId: ++count, text: body.text };
        find(params.projectId).tasks.push(task);
        return Response.json(task, { status: 201 });
      },
    },
    "projects/[projectId]/tasks/[taskId]/route.ts": {
      schema: { get: { response } },
      GET: ({ params: { projectId, taskId } }) => {
        const task = find(projectId).tasks
          .find((each) => String(each.taskId) === taskId);
        if (task === undefined) throw new HttpError(404);
        return Response.json(task);
      },
    },
  };
}

const keep = (old: Tasks, text: string): Tasks => ({ ...old, text });
const shown = (tasks: Tasks | undefined): Tasks => {
  if (tasks === undefined) throw new HttpError(404);
  return tasks;
};

const STATES: Readonly<Record<string, readonly [Modules, string[]]>> = {
  "a correct application": [projects(keep, shown), []],
  "a change removes the items that have the name of their segment": [
    projects((_old, text) => ({ text, tasks: [] }), shown),
    ["state POST /api/projects"],
  ],
  "a change shortens a text": [
    projects((old, text) => keep(old, text.slice(0, 4)), shown),
    ["state POST /api/projects"],
  ],
  "a deleted resource is a 500": [
    projects(keep, (tasks) => tasks!.tasks && tasks!),
    ["state POST /api/projects"],
  ],
};

for (const [name, [files, expected]] of Object.entries(STATES)) {
  Deno.test(`state: ${name}`, async () => {
    const report = await check(files, { properties: ["state"], seed: 1 });
    assertEquals(found(report), expected);
  });
}

for (
  const [name, status, expected] of [
    ["lets everyone pass", 200, []],
    ["rejects one user", 403, ["access GET /api/notes/[id]"]],
  ] as const
) {
  Deno.test(`access: an operation of the public ${name}`, async () => {
    const notes = new Map<string, string>();
    const report = await check({
      "notes/route.ts": {
        schema: { post: { body: z.object({ text }), response: { 201: {} } } },
        POST: ({ validated: { body } }) => {
          const id = String(notes.size + 1);
          notes.set(id, body.text);
          return Response.json({ id, ...body }, { status: 201 });
        },
      },
      "notes/[id]/route.ts": {
        schema: { get: { access: "public", response } },
        GET: ({ params: { id }, headers }) => {
          const isBob = headers.get("authorization") === "Bearer bob";
          if (isBob && status !== 200) throw new HttpError(status);
          if (!notes.has(id!)) throw new HttpError(404);
          return Response.json({ id, text: notes.get(id!) });
        },
      },
    }, {
      properties: ["access"],
      as: {
        alice: { authorization: "Bearer alice" },
        bob: { authorization: "Bearer bob" },
      },
    });
    assertEquals(found(report), [...expected]);
  });
}

for (const isAtomic of [true, false]) {
  Deno.test(`repeats: two requests at once with a key and an empty response, atomic: ${isAtomic}`, async () => {
    const payments: number[] = [];
    const keys = new Set<string>();
    const report = await check({
      "payments/route.ts": {
        schema: {
          get: { response: z.unknown() },
          post: {
            headers: z.object({ "idempotency-key": z.uuid() }),
            body: z.object({ cents: z.int() }),
            response: { 204: {} },
          },
        },
        GET: () => Response.json(payments),
        POST: async ({ validated: { body, headers } }) => {
          const key = headers["idempotency-key"];
          const isKnown = keys.has(key);
          if (isAtomic) keys.add(key);
          await new Promise((resolve) => setTimeout(resolve, 1));
          keys.add(key);
          if (!isKnown) payments.push(body.cents);
          return new Response(null, { status: 204 });
        },
      },
    }, { properties: ["repeats"] });
    assertEquals(found(report), isAtomic ? [] : ["repeats POST /api/payments"]);
  });
}
