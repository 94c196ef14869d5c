import { HttpError } from "@bough/framework";
import type { Profile } from "@/schemas.ts";
import type { Database, Viewer } from "./database.ts";

/** A user, with the hash of the password. */
export type User =
  & { id: number; email: string; password: string }
  & Omit<Profile, "following">;

/** The SQL for the JSON of a profile, for the user `:viewer`. */
export const PROFILE = `json_object(
  'username', username, 'bio', bio, 'image', image,
  'following', json(iif(EXISTS (
    SELECT 1 FROM follows WHERE follower = :viewer AND followed = users.id
  ), 'true', 'false')))`;

/** The user with an id or an email address. */
export function findUser(
  db: Database,
  { id = 0, email = "" }: Partial<User>,
): User | undefined {
  const sql = "SELECT * FROM users WHERE id = :id OR email = :email";
  return db.rows<User>(sql, { id, email })[0];
}

/** Adds or changes a user; an error with 422 if the name or address is taken. */
export function saveUser(
  db: Database,
  { id, ...user }: Omit<User, "id"> & { id?: number },
): User {
  try {
    const added = db.run(
      `INSERT INTO users
       VALUES (:id, :email, :username, :password, :bio, :image)
       ON CONFLICT (id) DO UPDATE SET
         email = :email, username = :username, password = :password,
         bio = :bio, image = :image`,
      { id: id ?? null, ...user },
    );
    return { id: id ?? added, ...user };
  } catch (error) {
    const [, name] = /UNIQUE .* users\.(\w+)/.exec(String(error)) ?? [];
    throw name ? new HttpError(422, `${name} is already taken`) : error;
  }
}

/** The profile of a user; an error with 404 if there is none. */
export function getProfile({ db, id }: Viewer, username: string): Profile {
  const [profile] = db.values<Profile>(
    `SELECT ${PROFILE} AS json FROM users WHERE username = :username`,
    { username, viewer: id },
  );
  if (profile) return profile;
  throw new HttpError(404, `There is no user "${username}"`);
}

/** Follows a user, or stops that; an error with 404 if there is none. */
export function follow(
  viewer: Viewer,
  username: string,
  isFollowing: boolean,
): Profile {
  const followed = "SELECT id FROM users WHERE username = :username";
  viewer.db.run(
    isFollowing
      ? `INSERT OR IGNORE INTO follows SELECT :id, (${followed})`
      : `DELETE FROM follows WHERE follower = :id AND followed = (${followed})`,
    { username, id: viewer.id },
  );
  return getProfile(viewer, username);
}
