/** Schemas that routes share. The document names schemas with an id. */
import { z } from "zod";

/** Security: everyone may read, with a token or without. */
export const everyone = [{ Token: [] }, {}];

/** A string; SQLite would return only the part before NUL. */
export const string = z.string().regex(/^[^\0]*$/, "must not contain NUL");

/** A string that is not blank. */
export const text = string.trim().min(1);

/** A password that a user types. */
export const password = z.string().min(1).meta({ format: "password" });

/** A user, in the responses to other users. */
export const Profile = z.object({
  username: z.string(),
  bio: z.string().nullable(),
  image: z.string().nullable(),
  following: z.boolean(),
}).meta({ id: "Profile" });
export type Profile = z.infer<typeof Profile>;

/** The user of a token. */
export const UserResponse = z.object({
  user: Profile.omit({ following: true }).extend({
    email: z.string(),
    token: z.string(),
  }).meta({ id: "User" }),
});

const times = { createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() };

/** An article. */
export const Article = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  body: z.string(),
  tagList: z.array(z.string()),
  ...times,
  favorited: z.boolean(),
  favoritesCount: z.int(),
  author: Profile,
}).meta({ id: "Article" });
export type Article = z.infer<typeof Article>;

/** A page of articles, without their bodies. */
export const ArticleList = z.object({
  articles: z.array(Article.omit({ body: true }).meta({ id: "Summary" })),
  articlesCount: z.int().describe("The number of articles on all pages"),
}).meta({ id: "ArticleList" });
export type ArticleList = z.infer<typeof ArticleList>;

/** The parameters of a page. */
export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
});

/** The values of a new article. */
export const NewArticle = z.object({
  title: text,
  description: text,
  body: text,
  tagList: z.array(text).default([]),
});
export type NewArticle = z.infer<typeof NewArticle>;

/** The changes of an article. */
export const ArticleChanges = z.object({
  title: text.exactOptional(),
  description: text.exactOptional(),
  body: text.exactOptional(),
});
export type ArticleChanges = z.infer<typeof ArticleChanges>;

/** A comment on an article. */
export const Comment = z.object({
  id: z.int(),
  ...times,
  body: z.string(),
  author: Profile,
}).meta({ id: "Comment" });
export type Comment = z.infer<typeof Comment>;
