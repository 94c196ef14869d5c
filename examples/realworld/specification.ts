/**
 * The specification of RealWorld, copied by hand: `specification_test.ts` compares
 * the OpenAPI document of this application with it. Sources:
 *
 * - `api/openapi.yml`, version 1.1.0, of https://github.com/gothinkster/realworld at
 *   commit 747190ecf0bb27d461cf1100f6cb3468c6c914ed (5 February 2026): operations,
 *   parameters, bodies and responses, without summaries, tags and ids.
 * - The page "Error handling" of the same commit, in
 *   `apps/documentation/src/content/docs/specifications/backend/error-handling.md`:
 *   the statuses 401, 403, 404 and 422, for any operation.
 */

/**
 * The JSON of a schema: a type, a list of one shape, or members. A name that ends in
 * `?` is optional; `null` is a response without a body.
 */
export type Shape = string | null | readonly [Shape] | {
  readonly [name: string]: Shape;
};

/** An operation of the specification. */
export interface Operation {
  /** Whether it needs a token; operations whose token is optional need none. */
  readonly token?: true;
  /** Parameters by place and name, without those of the path, which are strings. */
  readonly query?: Readonly<Record<string, string>>;
  /** Parameters of the path that are not strings. */
  readonly path?: Readonly<Record<string, string>>;
  /** The JSON of the request. */
  readonly body?: Shape;
  /** The JSON of each response, by status. */
  readonly responses: Readonly<Record<number, Shape>>;
}

/** The error of any operation. */
const ERROR = { errors: { body: ["string"] } } as const;

const USER = {
  user: {
    email: "string",
    token: "string",
    username: "string",
    bio: "string",
    image: "string",
  },
} as const;

const PROFILE = {
  username: "string",
  bio: "string",
  image: "string",
  following: "boolean",
} as const;

const SUMMARY = {
  slug: "string",
  title: "string",
  description: "string",
  tagList: ["string"],
  createdAt: "date-time",
  updatedAt: "date-time",
  favorited: "boolean",
  favoritesCount: "integer",
  author: PROFILE,
} as const;

const ARTICLE = { article: { ...SUMMARY, body: "string" } } as const;

const ARTICLES = { articles: [SUMMARY], articlesCount: "integer" } as const;

const COMMENT = {
  id: "integer",
  createdAt: "date-time",
  updatedAt: "date-time",
  body: "string",
  author: PROFILE,
} as const;

const PAGE = { "offset?": "integer from 0", "limit?": "integer from 1 = 20" };

const INVALID = { 422: ERROR } as const;
const REFUSED = { 401: null, 422: ERROR } as const;

/** The operations by method and path, below the prefix `/api`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /users/login": {
    body: { user: { email: "string", password: "string" } },
    responses: { 200: USER, ...REFUSED },
  },
  "POST /users": {
    body: {
      user: { username: "string", email: "string", password: "string" },
    },
    responses: { 201: USER, ...INVALID },
  },
  "GET /user": { token: true, responses: { 200: USER, ...REFUSED } },
  "PUT /user": {
    token: true,
    body: {
      user: {
        "email?": "string",
        "password?": "string",
        "username?": "string",
        "bio?": "string",
        "image?": "string",
      },
    },
    responses: { 200: USER, ...REFUSED },
  },
  "GET /profiles/{username}": {
    responses: { 200: { profile: PROFILE }, ...REFUSED },
  },
  "POST /profiles/{username}/follow": {
    token: true,
    responses: { 200: { profile: PROFILE }, ...REFUSED },
  },
  "DELETE /profiles/{username}/follow": {
    token: true,
    responses: { 200: { profile: PROFILE }, ...REFUSED },
  },
  "GET /articles/feed": {
    token: true,
    query: PAGE,
    responses: { 200: ARTICLES, ...REFUSED },
  },
  "GET /articles": {
    query: {
      "tag?": "string",
      "author?": "string",
      "favorited?": "string",
      ...PAGE,
    },
    responses: { 200: ARTICLES, ...REFUSED },
  },
  "POST /articles": {
    token: true,
    body: {
      article: {
        title: "string",
        description: "string",
        body: "string",
        "tagList?": ["string"],
      },
    },
    responses: { 201: ARTICLE, ...REFUSED },
  },
  "GET /articles/{slug}": { responses: { 200: ARTICLE, ...INVALID } },
  "PUT /articles/{slug}": {
    token: true,
    body: {
      article: {
        "title?": "string",
        "description?": "string",
        "body?": "string",
      },
    },
    responses: { 200: ARTICLE, ...REFUSED },
  },
  "DELETE /articles/{slug}": {
    token: true,
    responses: { 204: null, ...REFUSED },
  },
  "GET /articles/{slug}/comments": {
    responses: { 200: { comments: [COMMENT] }, ...REFUSED },
  },
  "POST /articles/{slug}/comments": {
    token: true,
    body: { comment: { body: "string" } },
    responses: { 200: { comment: COMMENT }, ...REFUSED },
  },
  "DELETE /articles/{slug}/comments/{id}": {
    token: true,
    path: { id: "integer" },
    responses: { 204: null, ...REFUSED },
  },
  "POST /articles/{slug}/favorite": {
    token: true,
    responses: { 200: ARTICLE, ...REFUSED },
  },
  "DELETE /articles/{slug}/favorite": {
    token: true,
    responses: { 200: ARTICLE, ...REFUSED },
  },
  "GET /tags": { responses: { 200: { tags: ["string"] }, ...INVALID } },
};
