import { HttpError, RequestState } from "@bough/framework";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

/** A string; SQLite would return only the part before NUL. */
const text = z.string().max(100).regex(/^[^\0]*$/);

/** A hero as it is stored. */
export const Hero = z.object({
  id: z.int(),
  name: text,
  age: z.int().min(0).max(10_000).nullable(),
  secret_name: text,
});

export const HeroPublic = Hero.omit({ secret_name: true })
  .meta({ id: "HeroPublic" });
export const HeroCreate = Hero.omit({ id: true })
  .extend({ age: Hero.shape.age.default(null) });
export const HeroUpdate = Hero.omit({ id: true }).partial();

export type Hero = z.infer<typeof Hero>;

/** The heroes of a request. */
export const heroStore = new RequestState<HeroStore>("heroes");

/** The heroes in a database. */
export class HeroStore implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`CREATE TABLE IF NOT EXISTS heroes
      (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER,
       secret_name TEXT NOT NULL)`);
  }

  add({ name, age, secret_name }: Omit<Hero, "id">): Hero {
    const insert = this.#database.prepare(
      "INSERT INTO heroes (name, age, secret_name) VALUES (?, ?, ?) RETURNING *",
    );
    return insert.get(name, age, secret_name) as unknown as Hero;
  }

  list(offset: number, limit: number): Hero[] {
    const select = this.#database.prepare(
      "SELECT * FROM heroes ORDER BY id LIMIT ? OFFSET ?",
    );
    return select.all(limit, offset) as unknown as Hero[];
  }

  /** @throws {HttpError} 404 if there is no such hero. */
  get(id: number): Hero {
    const hero = this.#database.prepare("SELECT * FROM heroes WHERE id = ?")
      .get(id);
    if (hero === undefined) throw new HttpError(404, "Hero not found");
    return hero as unknown as Hero;
  }

  update({ id, name, age, secret_name }: Hero): void {
    this.#database.prepare(
      "UPDATE heroes SET name = ?, age = ?, secret_name = ? WHERE id = ?",
    ).run(name, age, secret_name, id);
  }

  delete(id: number): void {
    this.#database.prepare("DELETE FROM heroes WHERE id = ?").run(id);
  }

  clear(): void {
    this.#database.exec("DELETE FROM heroes");
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
