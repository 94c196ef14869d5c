import { Framework, HttpError, type Middleware } from "@bough/framework";
import { type Database, database } from "@/database.ts";

/** Creates the application with a database. */
export function createApp(db: Database): Framework {
  const provide: Middleware = (request, next) => {
    database.set(request, db);
    return next();
  };
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    middleware: [provide, convertErrors],
  });
}

/** Asks clients to repeat their requests if the database is unavailable. */
const convertErrors: Middleware = async (_request, next) => {
  try {
    return await next();
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    const headers = { "retry-after": "1" };
    throw new HttpError(503, "Try again later", { headers, cause });
  }
};

/**
 * The codes of lost connections, and of Postgres: the server starts or stops (57P), has
 * too many connections (53), or ended a statement (57014, 25P03). Of two transactions
 * that block each other, it ends one (40).
 */
const CODES = /^(?:E[A-Z]+|08...|40...|53...|57...|25P03)$/;
/** The messages of errors without a code, of `pg` and of SQLite. */
const MESSAGES =
  /^(?:Connection terminated|Client has encountered|timeout exceeded|Query read timeout|database is locked)/;

function isUnavailable(error: unknown): boolean {
  const { code, message }: { code?: unknown; message?: unknown } = Object(
    error,
  );
  return CODES.test(String(code)) || MESSAGES.test(String(message));
}
