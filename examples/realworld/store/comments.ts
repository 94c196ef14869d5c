import { HttpError } from "@bough/framework";
import type { Comment } from "@/schemas.ts";
import { idOf } from "./articles.ts";
import type { Viewer } from "./database.ts";
import { PROFILE } from "./users.ts";

/** Comments cannot be changed, so both times are that of their creation. */
const SELECT = `SELECT json_object(
  'id', comments.id, 'body', body, 'author', ${PROFILE},
  'createdAt', created_at, 'updatedAt', created_at
) AS json FROM comments JOIN users ON users.id = author`;

/** The comments on an article, the latest first. */
export function listComments(viewer: Viewer, slug: string): Comment[] {
  return viewer.db.values<Comment>(
    `${SELECT} WHERE article = :article ORDER BY comments.id DESC`,
    { article: idOf(viewer, slug), viewer: viewer.id },
  );
}

/** Adds a comment of the viewer to an article. */
export function addComment(
  viewer: Viewer,
  slug: string,
  body: string,
): Comment {
  const id = viewer.db.run(
    `INSERT INTO comments (article, author, body)
     VALUES (:article, :author, :body)`,
    { article: idOf(viewer, slug), author: viewer.id, body },
  );
  const sql = `${SELECT} WHERE comments.id = :id`;
  return viewer.db.values<Comment>(sql, { id, viewer: viewer.id })[0]!;
}

/** Removes a comment of the viewer. */
export function removeComment(viewer: Viewer, slug: string, id: number): void {
  const [comment] = viewer.db.rows<{ author: number }>(
    "SELECT author FROM comments WHERE id = :id AND article = :article",
    { id, article: idOf(viewer, slug) },
  );
  if (!comment) throw new HttpError(404, `There is no comment ${id}`);
  if (comment.author !== viewer.id) {
    throw new HttpError(403, "The comment has another author");
  }
  viewer.db.run("DELETE FROM comments WHERE id = :id", { id });
}
