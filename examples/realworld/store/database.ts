import { RequestState } from "@bough/framework";
import {
  DatabaseSync,
  type SQLInputValue,
  type StatementSync,
} from "node:sqlite";

/** The SQL for the time in responses. */
export const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ')";

const TABLES = `
  CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    username TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL, bio TEXT, image TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS follows (
    follower INTEGER NOT NULL REFERENCES users,
    followed INTEGER NOT NULL REFERENCES users,
    PRIMARY KEY (follower, followed)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS articles (
    id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL, description TEXT NOT NULL, body TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON array
    author INTEGER NOT NULL REFERENCES users,
    created_at TEXT NOT NULL DEFAULT (${NOW}),
    updated_at TEXT NOT NULL DEFAULT (${NOW})
  ) STRICT;
  CREATE TABLE IF NOT EXISTS favorites (
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    user INTEGER NOT NULL REFERENCES users,
    PRIMARY KEY (article, user)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS comments (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    author INTEGER NOT NULL REFERENCES users,
    body TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT (${NOW})
  ) STRICT;
  CREATE INDEX IF NOT EXISTS articles_by_author ON articles (author);
  CREATE INDEX IF NOT EXISTS favorites_by_user ON favorites (user);
  CREATE INDEX IF NOT EXISTS comments_by_article ON comments (article);
  CREATE TABLE IF NOT EXISTS secrets (token_key TEXT NOT NULL) STRICT;
  INSERT INTO secrets SELECT lower(hex(randomblob(32)))
    WHERE NOT EXISTS (SELECT 1 FROM secrets);
`;

type Values = Readonly<Record<string, SQLInputValue>>;

/** The tables and secrets of the application, in a file or in memory. */
export class Database implements Disposable {
  /** Signs the tokens; it is in the database so that tokens outlast a restart. */
  readonly tokenKey: string;
  /** The rounds of hashing a password; fewer are only for tests. */
  readonly passwordRounds: number;
  readonly #database: DatabaseSync;
  readonly #statements: Map<string, StatementSync> = new Map();

  /** Opens a file, and creates the tables that it lacks. */
  constructor(file = ":memory:", { passwordRounds = 600_000 } = {}) {
    this.passwordRounds = passwordRounds;
    this.#database = new DatabaseSync(file);
    this.#database.exec(TABLES);
    const [secret] = this.rows<{ token_key: string }>("SELECT * FROM secrets");
    this.tokenKey = secret!.token_key;
  }

  /** The rows of a query. */
  rows<Row>(sql: string, values: Values = {}): Row[] {
    return this.#prepare(sql).all(values) as Row[];
  }

  /** The values of a query whose column `json` has the JSON of a value. */
  values<Value>(sql: string, values: Values = {}): Value[] {
    return this.rows<{ json: string }>(sql, values)
      .map(({ json }) => JSON.parse(json));
  }

  /** Runs a statement that changes data, and returns the id of a new row. */
  run(sql: string, values: Values = {}): number {
    return Number(this.#prepare(sql).run(values).lastInsertRowid);
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(
      sql,
      () => this.#database.prepare(sql),
    );
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Who reads or writes the database. */
export interface Viewer {
  readonly db: Database;
  /** The id of the user; 0, which no user has, without a token. */
  readonly id: number;
}

/** The viewer of a request. */
export const viewer = new RequestState<Viewer>("viewer");
