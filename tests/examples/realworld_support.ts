import { assertEquals } from "@std/assert";
import { createApp } from "../../examples/realworld/main.ts";
import type { Article, ArticleList } from "../../examples/realworld/schemas.ts";
import { Database } from "../../examples/realworld/store/database.ts";
import { TestServer } from "../support/application.ts";

/** An article to write. */
export const DRAGONS = {
  title: "How to train your dragon",
  description: "Ever wonder how?",
  body: "Very carefully.",
  tagList: ["training", "dragons", "training"],
};

/** The detail of an error for a blank string. */
export const BLANK = "Too small: expected string to have >=1 characters";

/** The user of a token, in responses. */
export interface User {
  email: string;
  token: string;
  username: string;
  bio: string | null;
  image: string | null;
}

/** The status and body of an error. */
export function failure(status: number, ...body: string[]) {
  return { status, body: { errors: { body } } };
}

/** The example on a free port, with cheap hashes of passwords. */
export class Conduit implements AsyncDisposable {
  readonly db: Database;
  readonly #server: TestServer;

  private constructor(db: Database, server: TestServer) {
    this.db = db;
    this.#server = server;
  }

  static async start(): Promise<Conduit> {
    const db = new Database(":memory:", { passwordRounds: 1 });
    const app = createApp(db, true);
    return new Conduit(db, await TestServer.start(app));
  }

  /** Sends a request. */
  async fetch(
    operation: string,
    headers: Record<string, string>,
    json?: unknown,
  ): Promise<Response> {
    const [method, path] = operation.split(" ");
    const body = json === undefined ? null : JSON.stringify(json);
    const url = this.#server.url(`/api${path}`);
    return await fetch(url, { method: method!, headers, body });
  }

  /** Sends a request, and reads the JSON of the response. */
  async call<Body>(
    operation: string,
    { token, body }: { token?: string; body?: unknown } = {},
  ): Promise<{ status: number; body: Body }> {
    const response = await this.fetch(
      operation,
      {
        "content-type": "application/json",
        ...token !== undefined && { authorization: `Token ${token}` },
      },
      body,
    );
    const { status } = response;
    if (status === 204) return { status, body: null as Body };
    assertEquals(response.headers.get("content-type"), "application/json");
    if (status === 401) {
      assertEquals(response.headers.get("www-authenticate"), "Token");
    }
    return { status, body: await response.json() };
  }

  /** Registers a user, and returns the token. */
  async register(username: string): Promise<string> {
    const user = {
      username,
      email: `${username}@mail.com`,
      password: "secret",
    };
    const { status, body } = await this.call<{ user: User }>("POST /users", {
      body: { user },
    });
    assertEquals(status, 201);
    return body.user.token;
  }

  /** Writes an article, and returns it. */
  async write(token: string, article: object = {}): Promise<Article> {
    const { status, body } = await this.call<{ article: Article }>(
      "POST /articles",
      { token, body: { article: { ...DRAGONS, ...article } } },
    );
    assertEquals(status, 201, JSON.stringify(body));
    return body.article;
  }

  /** The slugs of a page, and the number of articles on all pages. */
  async slugs(path: string, token?: string): Promise<[string[], number]> {
    const { status, body } = await this.call<ArticleList>(
      `GET ${path}`,
      token === undefined ? {} : { token },
    );
    assertEquals(status, 200, JSON.stringify(body));
    return [body.articles.map(({ slug }) => slug), body.articlesCount];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.db[Symbol.dispose]();
  }
}
