/** Every server of the task tracker passes the same tests. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { app as bough } from "./bough.ts";
import { app as express } from "./express.ts";
import { resetStore, store } from "./model.ts";

/** Starts a server on a free port. */
type Start = () => Promise<{ port: number; close(): Promise<unknown> }>;

const SERVERS: Record<string, Start> = {
  express: () =>
    new Promise((resolve) => {
      const server = express.listen(0, () => {
        const close = () => new Promise((closed) => server.close(closed));
        resolve({ port: (server.address() as { port: number }).port, close });
      });
    }),
  bough: async () => {
    const hostname = "127.0.0.1";
    const server = await bough.serve({ hostname, port: 0, onListen() {} });
    return { port: server.addr.port, close: () => server.shutdown() };
  },
};

/** A client, with or without a token. */
class Client {
  constructor(readonly url: string, readonly token?: string) {}

  async login(email: string, password: string): Promise<Client> {
    const response = await this.send("POST", "/login", { email, password });
    return new Client(this.url, (await read(response, 200)).token);
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = new Headers();
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(this.url + path, { method, headers, body: text ?? null });
  }

  get(path: string): Promise<Response> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown): Promise<Response> {
    return this.send("POST", path, body);
  }

  patch(path: string, body: unknown): Promise<Response> {
    return this.send("PATCH", path, body);
  }

  delete(path: string): Promise<Response> {
    return this.send("DELETE", path);
  }
}

// deno-lint-ignore no-explicit-any
async function read(response: Response, status: number): Promise<any> {
  const body = await response.json();
  assertEquals(response.status, status, JSON.stringify(body));
  assertMatch(response.headers.get("Content-Type") ?? "", /^application\/json/);
  return body;
}

async function assertError(
  response: Response,
  statusCode: number,
  message: string,
): Promise<void> {
  const body = await read(response, statusCode);
  assertEquals(body, { statusCode, message });
}

async function assertNoContent(response: Response): Promise<void> {
  assertEquals([response.status, await response.text()], [204, ""]);
}

/** The clients of the tests. Bob owns the projects, and Ada is an admin. */
interface Clients {
  anyone: Client;
  ada: Client;
  bob: Client;
  cleo: Client;
}

function test(name: string, run: (clients: Clients) => Promise<void>): void {
  for (const [server, start] of Object.entries(SERVERS)) {
    Deno.test(`${server}: ${name}`, async () => {
      resetStore();
      const { port, close } = await start();
      try {
        const anyone = new Client(`http://127.0.0.1:${port}`);
        const ada = await anyone.login("ada@example.com", "engine");
        const bob = await anyone.login("bob@example.com", "builder");
        const cleo = await anyone.login("cleo@example.com", "needle");
        await run({ anyone, ada, bob, cleo });
      } finally {
        await close();
      }
    });
  }
}

/** Creates a project, and tasks of these titles in it. */
async function createProject(client: Client, ...titles: string[]) {
  const input = { key: "WEB", name: "Website" };
  const project = await read(await client.post("/projects", input), 201);
  const tasks = [];
  for (const title of titles) {
    const response = await client.post(`/projects/${project.id}/tasks`, {
      title,
    });
    tasks.push(await read(response, 201));
  }
  return { project, tasks };
}

test("the health check needs no login", async ({ anyone }) => {
  const response = await anyone.get("/health");
  assertEquals(await read(response, 200), { status: "ok" });
  assertEquals(response.headers.has("X-Powered-By"), false);
});

test("an unknown path gets 404", async ({ anyone, bob }) => {
  await assertError(await anyone.get("/nothing"), 404, "Cannot GET /nothing");
  await assertError(await bob.get("/me/x?y=1"), 404, "Cannot GET /me/x");
  await assertError(await bob.post("/x", {}), 404, "Cannot POST /x");
});

test("a malformed path gets 400", async ({ bob }) => {
  const body = await read(await bob.get("/projects/%zz"), 400);
  assertEquals(Object.keys(body), ["statusCode", "message"]);
  assertEquals(body.statusCode, 400);
});

test("a user logs in and out", async ({ bob }) => {
  const me = { id: 2, email: "bob@example.com", role: "member" };
  assertEquals(await read(await bob.get("/me"), 200), me);
  await assertNoContent(await bob.send("POST", "/logout"));
  await assertError(await bob.get("/me"), 401, "Invalid token");
});

test("a wrong password gets 401", async ({ anyone }) => {
  for (const email of ["bob@example.com", "nobody@example.com"]) {
    const response = await anyone.post("/login", { email, password: "x" });
    await assertError(response, 401, "Wrong email or password");
  }
});

test("too many failed logins get 429", async ({ anyone }) => {
  const login = { email: "bob@example.com", password: "x" };
  for (let i = 0; i < 3; i++) {
    await read(await anyone.post("/login", login), 401);
  }
  const response = await anyone.post("/login", login);
  assertEquals(response.headers.get("Retry-After"), "60");
  const message = "Too many failed logins, try again later";
  await assertError(response, 429, message);
});

test("an invalid login gets 400", async ({ anyone }) => {
  await assertError(
    await anyone.post("/login", { email: "bob" }),
    400,
    "email: Invalid email address; " +
      "password: Invalid input: expected string, received undefined",
  );
});

test("a missing or wrong token gets 401", async ({ anyone }) => {
  for (const path of ["/me", "/projects", "/projects/1", "/tasks/1"]) {
    const response = await anyone.get(path);
    const challenge = response.headers.get("WWW-Authenticate");
    assertEquals(challenge, 'Bearer realm="tracker"');
    await assertError(response, 401, "Log in first");
  }
  const response = await new Client(anyone.url, "wrong").get("/projects");
  assert(response.headers.has("WWW-Authenticate"));
  await assertError(response, 401, "Invalid token");
});

test("a user creates a project", async ({ bob }) => {
  const input = { key: "WEB", name: "  Website ", color: "red" };
  const response = await bob.post("/projects", input);
  const project = await read(response, 201);
  const { id } = project;
  assertEquals(project, { id, key: "WEB", name: "Website", ownerId: 2 });
  assertEquals(response.headers.get("Location"), `/projects/${id}`);
  assertEquals(await read(await bob.get(`/projects/${id}`), 200), project);
});

test("an invalid project gets 400", async ({ bob }) => {
  await assertError(
    await bob.post("/projects", { key: "web", name: " " }),
    400,
    "key: Must be 2 to 5 capital letters; name: Required",
  );
  await assertError(
    await bob.post("/projects", []),
    400,
    "Invalid input: expected object, received array",
  );
});

test("a used key gets 409", async ({ bob, cleo }) => {
  await createProject(bob);
  const response = await cleo.post("/projects", { key: "WEB", name: "Mine" });
  await assertError(response, 409, "Key WEB is taken");
});

test("malformed JSON gets 400", async ({ bob }) => {
  for (const text of ["{", '{ "key": "WEB" ', "{ key: 1 }"]) {
    const response = await bob.post("/projects", text);
    await assertError(response, 400, "The body is not valid JSON");
  }
});

test("a large body gets 413", async ({ bob }) => {
  const response = await bob.post("/projects", { name: "x".repeat(20_000) });
  await assertError(response, 413, "The body is larger than 10 kB");
  await createProject(bob);
});

test("the list of projects has pages", async ({ bob }) => {
  for (const key of ["AA", "BB", "CC"]) {
    await read(await bob.post("/projects", { key, name: key }), 201);
  }
  const response = await bob.get("/projects?page=2&pageSize=2");
  assertEquals(response.headers.get("X-Total-Count"), "3");
  const { items, ...page } = await read(response, 200);
  assertEquals(page, { page: 2, pageSize: 2, total: 3 });
  assertEquals(items.map(({ key }: { key: string }) => key), ["CC"]);
  const all = await read(await bob.get("/projects"), 200);
  assertEquals([all.page, all.pageSize, all.items.length], [1, 10, 3]);
});

test("invalid query parameters get 400", async ({ bob }) => {
  await assertError(
    await bob.get("/projects?page=0"),
    400,
    "page: Too small: expected number to be >=1",
  );
  await assertError(
    await bob.get("/projects?page=x&pageSize=99"),
    400,
    "page: Invalid input: expected number, received NaN; " +
      "pageSize: Too big: expected number to be <=50",
  );
  const { project } = await createProject(bob);
  await assertError(
    await bob.get(`/projects/${project.id}/tasks?status=lost`),
    400,
    'status: Invalid option: expected one of "open"|"doing"|"done"',
  );
});

test("the owner and an admin rename a project", async ({ ada, bob, cleo }) => {
  const { project } = await createProject(bob);
  const path = `/projects/${project.id}`;
  const renamed = await read(await bob.patch(path, { name: "Site" }), 200);
  assertEquals(renamed, { ...project, name: "Site" });
  await read(await ada.patch(path, { name: "Shop" }), 200);
  const message = "Only the owner of the project may do this";
  await assertError(await cleo.patch(path, { name: "Mine" }), 403, message);
  await assertError(await bob.patch(path, { name: "" }), 400, "name: Required");
  assertEquals((await read(await cleo.get(path), 200)).name, "Shop");
});

test("a project can be deleted after its tasks are done", async ({ bob, cleo }) => {
  const { project, tasks: [task] } = await createProject(bob, "Paint");
  const path = `/projects/${project.id}`;
  const message = "Only the owner of the project may do this";
  await assertError(await cleo.delete(path), 403, message);
  const reason = "The project has unfinished tasks";
  await assertError(await bob.delete(path), 409, reason);
  await read(await bob.patch(`/tasks/${task.id}`, { status: "done" }), 200);
  await assertNoContent(await bob.delete(path));
  const missing = `Project ${project.id} not found`;
  await assertError(await bob.get(path), 404, missing);
  const gone = `Task ${task.id} not found`;
  await assertError(await bob.get(`/tasks/${task.id}`), 404, gone);
});

test("a missing project gets 404", async ({ bob }) => {
  for (const id of ["99", "abc"]) {
    const path = `/projects/${id}`;
    const message = `Project ${id} not found`;
    await assertError(await bob.get(path), 404, message);
    await assertError(await bob.patch(path, { name: "X" }), 404, message);
    await assertError(await bob.delete(path), 404, message);
    await assertError(await bob.get(`${path}/tasks`), 404, message);
    await assertError(await bob.get(`${path}/tasks.csv`), 404, message);
    const response = await bob.post(`${path}/tasks`, { title: "X" });
    await assertError(response, 404, message);
  }
});

test("a user creates a task", async ({ bob, cleo }) => {
  const { project } = await createProject(bob);
  const input = { title: "Paint", assigneeId: 3 };
  const response = await cleo.post(`/projects/${project.id}/tasks`, input);
  const task = await read(response, 201);
  const { id } = task;
  const path = `/tasks/${id}`;
  const projectId = project.id;
  assertEquals(task, { id, projectId, status: "open", ...input });
  assertEquals(response.headers.get("Location"), path);
  assertEquals(await read(await bob.get(path), 200), task);
});

test("an invalid task gets 400", async ({ bob }) => {
  const { project } = await createProject(bob);
  const path = `/projects/${project.id}/tasks`;
  await assertError(
    await bob.post(path, { title: "x".repeat(201), assigneeId: "cleo" }),
    400,
    "title: Too big: expected string to have <=200 characters; " +
      "assigneeId: Invalid input: expected number, received string",
  );
  const response = await bob.post(path, { title: "Paint", assigneeId: 99 });
  await assertError(response, 400, "assigneeId: User 99 does not exist");
});

test("tasks can be searched", async ({ bob }) => {
  const titles = ["Paint the door", "Paint the wall", "Sweep"];
  const { project, tasks } = await createProject(bob, ...titles);
  const path = `/projects/${project.id}/tasks`;
  await read(
    await bob.patch(`/tasks/${tasks[1].id}`, { status: "doing" }),
    200,
  );
  const queries = {
    "": [0, 1, 2],
    "?q=paint": [0, 1],
    "?q=the%20wall": [1],
    "?status=open": [0, 2],
    "?status=open&q=PAINT": [0],
    "?q=nothing": [],
    "?page=9": [],
  };
  for (const [query, expected] of Object.entries(queries)) {
    const { items } = await read(await bob.get(path + query), 200);
    const ids = items.map(({ id }: { id: number }) => id);
    assertEquals(ids, expected.map((index) => tasks[index].id), query);
  }
});

test("tasks can be downloaded as CSV", async ({ bob }) => {
  const { project, tasks } = await createProject(bob, 'The "big" door', "Öl");
  await read(await bob.patch(`/tasks/${tasks[1].id}`, { assigneeId: 3 }), 200);
  const response = await bob.get(`/projects/${project.id}/tasks.csv`);
  const { headers } = response;
  assertEquals(response.status, 200);
  assertEquals(headers.get("Content-Type"), "text/csv; charset=utf-8");
  assertEquals(
    headers.get("Content-Disposition"),
    "attachment; filename=WEB-tasks.csv",
  );
  assertEquals(
    await response.text(),
    "id,title,status,assignee\r\n" +
      `${tasks[0].id},"The ""big"" door",open,\r\n` +
      `${tasks[1].id},"Öl",open,3\r\n`,
  );
});

test("an assignee changes a task", async ({ bob, cleo }) => {
  const { tasks: [task] } = await createProject(bob, "Paint");
  const path = `/tasks/${task.id}`;
  const message = "Only the owner of the project may do this";
  await assertError(await cleo.patch(path, { status: "done" }), 403, message);
  await read(await bob.patch(path, { assigneeId: 3 }), 200);
  const changed = await read(await cleo.patch(path, { status: "done" }), 200);
  assertEquals(changed, { ...task, assigneeId: 3, status: "done" });
  await assertError(await cleo.delete(path), 403, message);
});

test("an invalid change of a task gets 400", async ({ bob }) => {
  const { tasks: [task] } = await createProject(bob, "Paint");
  const path = `/tasks/${task.id}`;
  await assertError(await bob.patch(path, {}), 400, "Nothing to change");
  await assertError(
    await bob.patch(path, { title: null }),
    400,
    "title: Invalid input: expected string, received null",
  );
  await assertError(
    await bob.patch(path, { assigneeId: 99 }),
    400,
    "assigneeId: User 99 does not exist",
  );
  assertEquals(await read(await bob.get(path), 200), task);
});

test("the owner deletes a task", async ({ bob }) => {
  const { tasks: [task] } = await createProject(bob, "Paint");
  const path = `/tasks/${task.id}`;
  await assertNoContent(await bob.delete(path));
  const message = `Task ${task.id} not found`;
  await assertError(await bob.get(path), 404, message);
  await assertError(await bob.delete(path), 404, message);
  await assertError(await bob.get(`${path}/comments`), 404, message);
});

test("users comment on a task", async ({ bob, cleo }) => {
  const { tasks: [task] } = await createProject(bob, "Paint");
  const path = `/tasks/${task.id}/comments`;
  const comment = await read(await cleo.post(path, { text: "Done? " }), 201);
  assertEquals([comment.text, comment.authorId], ["Done?", 3]);
  assert(Date.parse(comment.createdAt) <= Date.now());
  assertEquals(await read(await bob.get(path), 200), [comment]);
  await assertError(
    await cleo.post(path, { text: " " }),
    400,
    "text: Too small: expected string to have >=1 characters",
  );
});

test("an unexpected error reveals nothing", async ({ bob }) => {
  Object.defineProperty(store, "projects", {
    get() {
      throw new Error("connect ECONNREFUSED db.internal:5432");
    },
  });
  const { error } = console;
  const log: unknown[][] = [];
  console.error = (...line) => log.push(line);
  try {
    const message = "Internal server error";
    await assertError(await bob.get("/projects"), 500, message);
  } finally {
    console.error = error;
  }
  assertEquals(log.length, 1);
  assertStringIncludes(String(log[0]), "ECONNREFUSED");
});

test("HEAD has the headers of GET", async ({ anyone, bob }) => {
  const found = await bob.send("HEAD", "/projects");
  assertEquals([found.status, await found.text()], [200, ""]);
  assertEquals(found.headers.get("X-Total-Count"), "0");
  const missing = await anyone.send("HEAD", "/nothing");
  assertEquals([missing.status, await missing.text()], [404, ""]);
});
