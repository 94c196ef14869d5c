// Written by "bough types --standalone" from the schemas of the application; do not edit.
// deno-fmt-ignore-file
// deno-lint-ignore-file

/** A schema, with the type of its values. */
export interface Schema<Type> {
  readonly "~standard": {
    readonly types?: { readonly input: Type; readonly output: Type };
  };
}

/** The query of a method without a schema. */
export type AnyQuery = Schema<{ readonly [name: string]: Value | readonly Value[] | undefined }>;
export type Value = string | number | boolean;

/** A schema of strings by name, such as a query, which may convert the strings. */
export type StringSchema<Type> = Schema<Strings<Type>>;
export type Strings<Type> = Type extends number | boolean ? Value
  : Type extends object ? { [Name in keyof Type]: Strings<Type[Name]> }
  : Type;

/** A schema of a streamed body, whose fields take one file or several. */
export type UploadSchema<Type> = Schema<Upload<Type>>;
export type Upload<Type> = Type extends Blob ? Blob : {
  [Name in keyof Type]: Exclude<Type[Name], undefined> extends Blob | Blob[]
    ? Blob | readonly Blob[]
    : Type[Name];
};

/** A body of a media type. */
export interface Content<MediaType, Of = undefined> {
  readonly mediaType: MediaType;
  readonly schema: Of;
}

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly errors?: readonly { readonly in: string; readonly pointer: string; readonly detail: string }[] | undefined;
  readonly issueCount?: number | undefined;
}

/** The files of the application: `createClient<Routes>()` calls them. */
export interface Routes {
  "(admin)/orders/[orderId]/status/route.ts": {
    PUT: unknown;
    schema: {
      put: {
        params: StringSchema<{
          orderId: string;
        }>;
        body: Schema<{
          status: "placed" | "packed" | "sent";
        }>;
        response: {
          200: Schema<Order>;
          401: Schema<ProblemDocument>;
          404: Schema<ProblemDocument>;
        };
      };
    };
  };
  "(admin)/orders/events/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          401: Schema<ProblemDocument>;
        };
        events: {
          cleared: Schema<null>;
          order: Schema<Order>;
        };
      };
    };
  };
  "(admin)/stock/[bookId]/route.ts": {
    GET: unknown;
    PUT: unknown;
    schema: {
      get: {
        params: StringSchema<{
          bookId: string;
        }>;
        headers: StringSchema<{
          /** The tags of the versions that the client has */
          "if-none-match"?: string;
        }>;
        response: {
          200: Schema<Book>;
          304: {};
          401: Schema<ProblemDocument>;
          404: Schema<ProblemDocument>;
          412: Schema<ProblemDocument>;
          431: Schema<ProblemDocument>;
        };
      };
      put: {
        params: StringSchema<{
          bookId: string;
        }>;
        headers: StringSchema<{
          /** The tag of the version to change, such as `"7"`, or `*` for any version */
          "if-match"?: string;
          /** `*`, to create a resource that must not exist yet */
          "if-none-match"?: string;
        }>;
        body: Schema<{
          stock: number;
        }>;
        response: {
          200: Schema<Book>;
          401: Schema<ProblemDocument>;
          404: Schema<ProblemDocument>;
          412: Schema<ProblemDocument>;
          431: Schema<ProblemDocument>;
        };
      };
    };
  };
  "authors/[authorId]/route.ts": {
    GET: unknown;
    schema: {
      get: {
        params: StringSchema<{
          authorId: string;
        }>;
        response: {
          200: Schema<{
            id: number;
            name: string;
            books: Array<{
              id: number;
              title: string;
            }>;
          }>;
          404: Schema<ProblemDocument>;
        };
      };
    };
  };
  "authors/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<Array<Author>>;
        };
      };
    };
  };
  "books/[bookId]/reviews/[reviewId]/route.ts": {
    GET: unknown;
    DELETE: unknown;
    schema: {
      get: {
        params: StringSchema<{
          bookId: string;
          reviewId: string;
        }>;
        response: {
          200: Schema<Review>;
          404: Schema<ProblemDocument>;
        };
      };
      delete: {
        params: StringSchema<{
          bookId: string;
          reviewId: string;
        }>;
        response: {
          204: {};
          404: Schema<ProblemDocument>;
        };
      };
    };
  };
  "books/[bookId]/reviews/route.ts": {
    GET: unknown;
    POST: unknown;
    schema: {
      get: {
        params: StringSchema<{
          bookId: string;
        }>;
        response: {
          200: Schema<Array<Review>>;
          404: Schema<ProblemDocument>;
        };
      };
      post: {
        params: StringSchema<{
          bookId: string;
        }>;
        body: Schema<{
          stars: number;
          text: string;
        }>;
        response: {
          201: Schema<Review>;
          404: Schema<ProblemDocument>;
        };
      };
    };
  };
  "books/[bookId]/route.ts": {
    GET: unknown;
    PATCH: unknown;
    DELETE: unknown;
    schema: {
      get: {
        params: StringSchema<{
          bookId: string;
        }>;
        response: {
          200: Schema<Book>;
          404: Schema<ProblemDocument>;
        };
      };
      patch: {
        params: StringSchema<{
          bookId: string;
        }>;
        body: Schema<{
          title?: string;
          cents?: number;
        }>;
        response: {
          200: Schema<Book>;
          404: Schema<ProblemDocument>;
          409: Schema<ProblemDocument>;
        };
      };
      delete: {
        params: StringSchema<{
          bookId: string;
        }>;
        response: {
          204: {};
          404: Schema<ProblemDocument>;
          409: Schema<ProblemDocument>;
        };
      };
    };
  };
  "books/featured/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<Array<Book>>;
        };
      };
    };
  };
  "books/route.ts": {
    GET: unknown;
    POST: unknown;
    schema: {
      get: {
        query: StringSchema<{
          /** A part of the title */
          search?: string;
          /** How many to list at most */
          limit?: string;
          /** How many to pass over */
          offset?: string;
        }>;
        response: {
          200: Schema<Array<Book>>;
        };
      };
      post: {
        body: Schema<{
          title: string;
          author: string;
          cents: number;
        }>;
        response: {
          201: Schema<Book>;
          409: Schema<ProblemDocument>;
        };
      };
    };
  };
  "covers/[...]/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Content<"image/svg+xml">;
          206: Content<"image/svg+xml">;
          304: {};
          404: Schema<ProblemDocument>;
          412: Schema<ProblemDocument>;
          416: Schema<ProblemDocument>;
          431: Schema<ProblemDocument>;
        };
      };
    };
  };
  "covers/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<Array<string>>;
        };
      };
    };
  };
  "health/live/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<{
            status: "alive";
          }>;
        };
      };
    };
  };
  "health/ready/route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<{
            status: "ready";
          }>;
          503: Schema<ProblemDocument>;
        };
      };
    };
  };
  "orders/[orderId]/route.ts": {
    GET: unknown;
    schema: {
      get: {
        params: StringSchema<{
          orderId: string;
        }>;
        response: {
          200: Schema<Order>;
          404: Schema<ProblemDocument>;
          429: Schema<ProblemDocument>;
          503: Schema<ProblemDocument>;
        };
      };
    };
  };
  "orders/route.ts": {
    POST: unknown;
    schema: {
      post: {
        headers: StringSchema<{
          /** A unique string, such as a UUID. A repeated request with this key gets the first response. */
          "idempotency-key"?: string;
        }>;
        body: Schema<{
          email: string;
          items: Array<{
            bookId: number;
            count: number;
          }>;
        }>;
        response: {
          201: Schema<Order>;
          409: Schema<ProblemDocument>;
          422: Schema<ProblemDocument>;
          429: Schema<ProblemDocument>;
          503: Schema<ProblemDocument>;
        };
      };
    };
  };
  "route.ts": {
    GET: unknown;
    schema: {
      get: {
        response: {
          200: Schema<{
            shop: string;
            books: string;
            featured: string;
            authors: string;
          }>;
        };
      };
    };
  };
}

export type Author = {
  id: number;
  name: string;
};

/** A book, and how many the shop has of it */
export type Book = {
  id: number;
  title: string;
  author: string;
  cents: number;
  stock: number;
};

export type Order = {
  id: number;
  email: string;
  status: "placed" | "packed" | "sent";
  items: Array<{
    bookId: number;
    title: string;
    count: number;
    cents: number;
  }>;
};

export type Review = {
  id: number;
  stars: number;
  text: string;
};
