/** The data of a task tracker, and the schemas of its requests. */
import { z } from "zod";

const name = z.string().trim().min(1, "Required").max(100);
const title = z.string().trim().min(1, "Required").max(200);
const status = z.enum(["open", "doing", "done"]);
const assigneeId = z.int().positive().nullable();

export const Credentials = z.object({ email: z.email(), password: z.string() });
export const NewProject = z.object({
  key: z.string().regex(/^[A-Z]{2,5}$/, "Must be 2 to 5 capital letters"),
  name,
});
export const ProjectChanges = z.object({ name });
export const NewTask = z.object({
  title,
  assigneeId: assigneeId.default(null),
});
export const TaskChanges = z.object({ title, status, assigneeId }).partial()
  .refine((changes) => Object.keys(changes).length > 0, "Nothing to change");
export const NewComment = z.object({
  text: z.string().trim().min(1).max(2000),
});
export const Paging = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(50).default(10),
});
export const TaskQuery = Paging.extend({
  status: status.optional(),
  q: z.string().optional(),
});

export interface User {
  id: number;
  email: string;
  password: string;
  role: "admin" | "member";
}
export type Project = z.infer<typeof NewProject> & {
  id: number;
  ownerId: number;
};
export type Task = z.infer<typeof NewTask> & {
  id: number;
  projectId: number;
  status: z.infer<typeof status>;
};
export type Comment = z.infer<typeof NewComment> & {
  id: number;
  taskId: number;
  authorId: number;
  createdAt: string;
};

class Store {
  #lastId = 0;
  users: User[] = [
    { id: 1, email: "ada@example.com", password: "engine", role: "admin" },
    { id: 2, email: "bob@example.com", password: "builder", role: "member" },
    { id: 3, email: "cleo@example.com", password: "needle", role: "member" },
  ];
  tokens = new Map<string, User>();
  failedLogins = new Map<string, number>();
  projects: Project[] = [];
  tasks: Task[] = [];
  comments: Comment[] = [];

  nextId(): number {
    return ++this.#lastId;
  }

  deleteTask(id: number): void {
    this.tasks = this.tasks.filter((task) => task.id !== id);
    this.comments = this.comments.filter((comment) => comment.taskId !== id);
  }
}

export let store = new Store();

export function resetStore(): void {
  store = new Store();
}

export function pageOf<T>(
  all: readonly T[],
  { page, pageSize }: z.infer<typeof Paging>,
): { items: T[]; page: number; pageSize: number; total: number } {
  const start = (page - 1) * pageSize;
  const items = all.slice(start, start + pageSize);
  return { items, page, pageSize, total: all.length };
}

export function tasksOf(
  project: Project,
  { status, q = "" }: Partial<z.infer<typeof TaskQuery>> = {},
): Task[] {
  return store.tasks.filter((task) =>
    task.projectId === project.id &&
    (status === undefined || task.status === status) &&
    task.title.toLowerCase().includes(q.toLowerCase())
  );
}

export function toCsv(tasks: readonly Task[]): string {
  const rows = tasks.map(({ id, title, status, assigneeId }) =>
    [id, `"${title.replaceAll('"', '""')}"`, status, assigneeId ?? ""].join()
  );
  return ["id,title,status,assignee", ...rows, ""].join("\r\n");
}
