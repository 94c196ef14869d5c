/** The task tracker as an Express application. */
// @ts-types="npm:@types/express@^5.0.3"
import express, {
  type NextFunction,
  type Request,
  type Response,
} from "npm:express@^5.1.0";
import { type z, ZodError } from "zod";
import {
  Credentials,
  NewComment,
  NewProject,
  NewTask,
  pageOf,
  Paging,
  type Project,
  ProjectChanges,
  store,
  type Task,
  TaskChanges,
  TaskQuery,
  tasksOf,
  toCsv,
  type User,
} from "./model.ts";

class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

function requireUser(req: Request, res: Response, next: NextFunction) {
  const [, token] = req.get("Authorization")?.match(/^Bearer (\S+)$/i) ?? [];
  const user = store.tokens.get(token ?? "");
  if (!user) {
    res.set("WWW-Authenticate", 'Bearer realm="tracker"');
    throw new HttpError(401, token ? "Invalid token" : "Log in first");
  }
  res.locals.user = user;
  next();
}

function findProject(req: Request): Project {
  const { id } = req.params;
  const project = store.projects.find((project) => project.id === Number(id));
  if (!project) throw new HttpError(404, `Project ${id} not found`);
  return project;
}

function findTask(req: Request): Task {
  const { id } = req.params;
  const task = store.tasks.find((task) => task.id === Number(id));
  if (!task) throw new HttpError(404, `Task ${id} not found`);
  return task;
}

function requireOwner(project: Project | undefined, user: User) {
  if (project?.ownerId !== user.id && user.role !== "admin") {
    throw new HttpError(403, "Only the owner of the project may do this");
  }
}

function checkAssignee(id: number | null | undefined) {
  if (id && !store.users.some((user) => user.id === id)) {
    throw new HttpError(400, `assigneeId: User ${id} does not exist`);
  }
}

export const app = express();
app.disable("x-powered-by");
app.use(express.json({ limit: "10kb" }));

app.get("/health", (_req, res) => {
  res.json({ status: "ok" });
});

app.post("/login", (req, res) => {
  const { email, password } = Credentials.parse(req.body);
  const failed = store.failedLogins.get(email) ?? 0;
  if (failed >= 3) {
    res.set("Retry-After", "60");
    throw new HttpError(429, "Too many failed logins, try again later");
  }
  const user = store.users.find((user) => user.email === email);
  if (user?.password !== password) {
    store.failedLogins.set(email, failed + 1);
    throw new HttpError(401, "Wrong email or password");
  }
  const token = crypto.randomUUID();
  store.tokens.set(token, user);
  res.json({ token });
});

app.post("/logout", requireUser, (req, res) => {
  store.tokens.delete(req.get("Authorization")!.slice("Bearer ".length));
  res.sendStatus(204);
});

app.get("/me", requireUser, (_req, res) => {
  const { id, email, role } = res.locals.user;
  res.json({ id, email, role });
});

const projects = express.Router();
app.use("/projects", requireUser, projects);

projects.get("/", (req, res) => {
  const page = pageOf(store.projects, Paging.parse(req.query));
  res.set("X-Total-Count", String(page.total)).json(page);
});

projects.post("/", (req, res) => {
  const input = NewProject.parse(req.body);
  if (store.projects.some(({ key }) => key === input.key)) {
    throw new HttpError(409, `Key ${input.key} is taken`);
  }
  const project = {
    id: store.nextId(),
    ...input,
    ownerId: res.locals.user.id,
  };
  store.projects.push(project);
  res.status(201).location(`/projects/${project.id}`).json(project);
});

projects.get("/:id", (req, res) => {
  res.json(findProject(req));
});

projects.patch("/:id", (req, res) => {
  const project = findProject(req);
  requireOwner(project, res.locals.user);
  res.json(Object.assign(project, ProjectChanges.parse(req.body)));
});

projects.delete("/:id", (req, res) => {
  const project = findProject(req);
  requireOwner(project, res.locals.user);
  if (tasksOf(project).some(({ status }) => status !== "done")) {
    throw new HttpError(409, "The project has unfinished tasks");
  }
  for (const { id } of tasksOf(project)) store.deleteTask(id);
  store.projects = store.projects.filter((other) => other !== project);
  res.sendStatus(204);
});

projects.get("/:id/tasks", (req, res) => {
  const project = findProject(req);
  const query = TaskQuery.parse(req.query);
  const page = pageOf(tasksOf(project, query), query);
  res.set("X-Total-Count", String(page.total)).json(page);
});

projects.post("/:id/tasks", (req, res) => {
  const project = findProject(req);
  const input = NewTask.parse(req.body);
  checkAssignee(input.assigneeId);
  const task: Task = {
    id: store.nextId(),
    projectId: project.id,
    status: "open",
    ...input,
  };
  store.tasks.push(task);
  res.status(201).location(`/tasks/${task.id}`).json(task);
});

projects.get("/:id/tasks.csv", (req, res) => {
  const project = findProject(req);
  res.attachment(`${project.key}-tasks.csv`).send(toCsv(tasksOf(project)));
});

const tasks = express.Router();
app.use("/tasks", requireUser, tasks);

tasks.get("/:id", (req, res) => {
  res.json(findTask(req));
});

tasks.patch("/:id", (req, res) => {
  const task = findTask(req);
  const { user } = res.locals;
  if (task.assigneeId !== user.id) {
    requireOwner(store.projects.find(({ id }) => id === task.projectId), user);
  }
  const changes = TaskChanges.parse(req.body);
  checkAssignee(changes.assigneeId);
  res.json(Object.assign(task, changes));
});

tasks.delete("/:id", (req, res) => {
  const task = findTask(req);
  const project = store.projects.find(({ id }) => id === task.projectId);
  requireOwner(project, res.locals.user);
  store.deleteTask(task.id);
  res.sendStatus(204);
});

tasks.get("/:id/comments", (req, res) => {
  const { id } = findTask(req);
  res.json(store.comments.filter(({ taskId }) => taskId === id));
});

tasks.post("/:id/comments", (req, res) => {
  const task = findTask(req);
  const comment = {
    id: store.nextId(),
    taskId: task.id,
    authorId: res.locals.user.id,
    ...NewComment.parse(req.body),
    createdAt: new Date().toISOString(),
  };
  store.comments.push(comment);
  res.status(201).json(comment);
});

app.use((req) => {
  throw new HttpError(404, `Cannot ${req.method} ${req.path}`);
});

const MESSAGES: Record<string, string> = {
  "entity.parse.failed": "The body is not valid JSON",
  "entity.too.large": "The body is larger than 10 kB",
};

// deno-lint-ignore no-explicit-any
app.use((error: any, _req: Request, res: Response, next: NextFunction) => {
  if (res.headersSent) return next(error);
  let statusCode = error.status ?? 500;
  let message = MESSAGES[error.type] ?? error.message;
  if (error instanceof ZodError) {
    statusCode = 400;
    message = error.issues.map(({ path, message }: z.core.$ZodIssue) =>
      path.length > 0 ? `${path.join(".")}: ${message}` : message
    ).join("; ");
  } else if (statusCode >= 500) {
    console.error(error);
    message = "Internal server error";
  }
  res.status(statusCode).json({ statusCode, message });
});
