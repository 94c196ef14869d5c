// Written by "bough types --standalone" from the schemas of the application; do not edit.
// deno-fmt-ignore-file
// deno-lint-ignore-file

/** A schema, with the type of its values. */
interface Schema<Type> {
  readonly "~standard": {
    readonly types?: { readonly input: Type; readonly output: Type };
  };
}

/** A body of a media type. */
interface Content<MediaType, Of = undefined> {
  readonly mediaType: MediaType;
  readonly schema: Of;
}

/** A problem document (RFC 9457). */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly errors?: readonly { readonly in: string; readonly pointer: string; readonly detail: string }[] | undefined;
  readonly issueCount?: number | undefined;
}

/** The files of the application: `createClient<Routes>()` calls them. */
export interface Routes {
  "(admin)/middleware.ts": { default: { contracts: [{ response: { 401: Schema<ProblemDocument> } }] } };
  "(admin)/orders/[orderId]/status/route.ts": {
    PUT: unknown;
    schema: {
      put: { params: Schema<components["schemas"]["AdminOrdersOrderIdStatusPutParams"]>; body: Schema<components["schemas"]["AdminOrdersOrderIdStatusPutBody"]>; response: { 200: Schema<components["schemas"]["Order"]>; 404: Schema<ProblemDocument> } };
    };
  };
  "(admin)/orders/events/route.ts": {
    GET: unknown;
    schema: {
      get: { events: { "cleared": Schema<components["schemas"]["AdminOrdersEventsGetCleared"]>; "order": Schema<components["schemas"]["Order"]> } };
    };
  };
  "(admin)/stock/[bookId]/route.ts": {
    GET: unknown;
    PUT: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["AdminStockBookIdGetParams"]>; response: { 200: Schema<components["schemas"]["Book"]>; 404: Schema<ProblemDocument> } };
      put: { params: Schema<components["schemas"]["AdminStockBookIdPutParams"]>; body: Schema<components["schemas"]["AdminStockBookIdPutBody"]>; response: { 200: Schema<components["schemas"]["Book"]>; 404: Schema<ProblemDocument> } };
    };
    middleware: [{ contracts: [{ methods: ["GET"]; headers: Schema<components["schemas"]["ExamplesBookshopApiAdminStockBookIdRouteTsHeaders"]>; response: { 304: {}; 412: Schema<ProblemDocument>; 431: Schema<ProblemDocument> } }, { methods: ["PUT","PATCH","DELETE"]; headers: Schema<components["schemas"]["ExamplesBookshopApiAdminStockBookIdRouteTsHeaders2"]>; response: { 412: Schema<ProblemDocument>; 431: Schema<ProblemDocument> } }] }];
  };
  "authors/[authorId]/route.ts": {
    GET: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["AuthorsAuthorIdGetParams"]>; response: { 200: Schema<components["schemas"]["AuthorsAuthorIdGet200"]>; 404: Schema<ProblemDocument> } };
    };
  };
  "authors/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["AuthorsGet200"]> } };
    };
  };
  "books/[bookId]/reviews/[reviewId]/route.ts": {
    GET: unknown;
    DELETE: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["BooksBookIdReviewsReviewIdGetParams"]>; response: { 200: Schema<components["schemas"]["Review"]>; 404: Schema<ProblemDocument> } };
      delete: { params: Schema<components["schemas"]["BooksBookIdReviewsReviewIdDeleteParams"]>; response: { 204: {}; 404: Schema<ProblemDocument> } };
    };
  };
  "books/[bookId]/reviews/route.ts": {
    GET: unknown;
    POST: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["BooksBookIdReviewsGetParams"]>; response: { 200: Schema<components["schemas"]["BooksBookIdReviewsGet200"]>; 404: Schema<ProblemDocument> } };
      post: { params: Schema<components["schemas"]["BooksBookIdReviewsPostParams"]>; body: Schema<components["schemas"]["BooksBookIdReviewsPostBody"]>; response: { 201: Schema<components["schemas"]["Review"]>; 404: Schema<ProblemDocument> } };
    };
  };
  "books/[bookId]/route.ts": {
    GET: unknown;
    PATCH: unknown;
    DELETE: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["BooksBookIdGetParams"]>; response: { 200: Schema<components["schemas"]["Book"]>; 404: Schema<ProblemDocument> } };
      patch: { params: Schema<components["schemas"]["BooksBookIdPatchParams"]>; body: Schema<components["schemas"]["BooksBookIdPatchBody"]>; response: { 200: Schema<components["schemas"]["Book"]>; 404: Schema<ProblemDocument>; 409: Schema<ProblemDocument> } };
      delete: { params: Schema<components["schemas"]["BooksBookIdDeleteParams"]>; response: { 204: {}; 404: Schema<ProblemDocument>; 409: Schema<ProblemDocument> } };
    };
  };
  "books/featured/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["BooksFeaturedGet200"]> } };
    };
  };
  "books/route.ts": {
    GET: unknown;
    POST: unknown;
    schema: {
      get: { query: Schema<components["schemas"]["BooksGetQuery"]>; response: { 200: Schema<components["schemas"]["BooksGet200"]> } };
      post: { body: Schema<components["schemas"]["BooksPostBody"]>; response: { 201: Schema<components["schemas"]["Book"]>; 409: Schema<ProblemDocument> } };
    };
  };
  "covers/[...]/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Content<"image/svg+xml">; 304: {}; 404: Schema<ProblemDocument>; 431: Schema<ProblemDocument> } };
    };
  };
  "covers/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["CoversGet200"]> } };
    };
  };
  "health/live/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["HealthLiveGet200"]> } };
    };
  };
  "health/ready/route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["HealthReadyGet200"]>; 503: Schema<ProblemDocument> } };
    };
  };
  "orders/[orderId]/route.ts": {
    GET: unknown;
    schema: {
      get: { params: Schema<components["schemas"]["OrdersOrderIdGetParams"]>; response: { 200: Schema<components["schemas"]["Order"]>; 404: Schema<ProblemDocument> } };
    };
  };
  "orders/middleware.ts": { default: { contracts: [{ response: { 429: Schema<ProblemDocument>; 503: Schema<ProblemDocument> } }, { methods: ["POST","PATCH"]; headers: Schema<components["schemas"]["ExamplesBookshopApiOrdersMiddlewareTsHeaders"]>; response: { 409: Schema<ProblemDocument>; 422: Schema<ProblemDocument>; 503: Schema<ProblemDocument> } }] } };
  "orders/route.ts": {
    POST: unknown;
    schema: {
      post: { body: Schema<components["schemas"]["OrdersPostBody"]>; response: { 201: Schema<components["schemas"]["Order"]>; 409: Schema<ProblemDocument>; 422: Schema<ProblemDocument> } };
    };
  };
  "route.ts": {
    GET: unknown;
    schema: {
      get: { response: { 200: Schema<components["schemas"]["RootGet200"]> } };
    };
  };
}

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Author: {
            id: number;
            name: string;
        };
        /** @description A book, and how many the shop has of it */
        Book: {
            id: number;
            /** @example Emma */
            title: string;
            /** @example Jane Austen */
            author: string;
            /** @example 1200 */
            cents: number;
            /** @example 7 */
            stock: number;
        };
        Order: {
            id: number;
            /** Format: email */
            email: string;
            /** @enum {string} */
            status: "placed" | "packed" | "sent";
            items: {
                bookId: number;
                title: string;
                count: number;
                cents: number;
            }[];
        };
        Review: {
            id: number;
            stars: number;
            text: string;
        };
        AdminOrdersOrderIdStatusPutParams: {
            orderId: string;
        };
        AdminOrdersOrderIdStatusPutBody: {
            /** @enum {string} */
            status: "placed" | "packed" | "sent";
        };
        AdminOrdersEventsGetCleared: null;
        AdminStockBookIdGetParams: {
            bookId: string;
        };
        AdminStockBookIdPutParams: {
            bookId: string;
        };
        AdminStockBookIdPutBody: {
            stock: number;
        };
        ExamplesBookshopApiAdminStockBookIdRouteTsHeaders: {
            /** @description The tags of the versions that the client has */
            "if-none-match"?: string;
        };
        ExamplesBookshopApiAdminStockBookIdRouteTsHeaders2: {
            /** @description The tag of the version to change, such as `"7"`, or `*` for any version */
            "if-match"?: string;
            /** @description `*`, to create a resource that must not exist yet */
            "if-none-match"?: string;
        };
        AuthorsAuthorIdGetParams: {
            authorId: string;
        };
        AuthorsAuthorIdGet200: {
            id: number;
            name: string;
            books: {
                id: number;
                title: string;
            }[];
        };
        AuthorsGet200: components["schemas"]["Author"][];
        BooksBookIdReviewsReviewIdGetParams: {
            bookId: string;
            reviewId: string;
        };
        BooksBookIdReviewsReviewIdDeleteParams: {
            bookId: string;
            reviewId: string;
        };
        BooksBookIdReviewsGetParams: {
            bookId: string;
        };
        BooksBookIdReviewsGet200: components["schemas"]["Review"][];
        BooksBookIdReviewsPostParams: {
            bookId: string;
        };
        BooksBookIdReviewsPostBody: {
            stars: number;
            text: string;
        };
        BooksBookIdGetParams: {
            bookId: string;
        };
        BooksBookIdPatchParams: {
            bookId: string;
        };
        BooksBookIdPatchBody: {
            title?: string;
            /** @example 1200 */
            cents?: number;
        };
        BooksBookIdDeleteParams: {
            bookId: string;
        };
        BooksFeaturedGet200: components["schemas"]["Book"][];
        BooksGetQuery: {
            /**
             * @description A part of the title
             * @default
             */
            search?: string;
            /** @description How many to list at most */
            limit?: string;
            /** @description How many to pass over */
            offset?: string;
        };
        BooksGet200: components["schemas"]["Book"][];
        BooksPostBody: {
            /** @example Lodore */
            title: string;
            /** @example Mary Shelley */
            author: string;
            /** @example 1200 */
            cents: number;
        };
        CoversGet200: string[];
        HealthLiveGet200: {
            /** @constant */
            status: "alive";
        };
        HealthReadyGet200: {
            /** @constant */
            status: "ready";
        };
        OrdersOrderIdGetParams: {
            orderId: string;
        };
        ExamplesBookshopApiOrdersMiddlewareTsHeaders: {
            /** @description A unique string, such as a UUID. A repeated request with this key gets the first response. */
            "idempotency-key"?: string;
        };
        OrdersPostBody: {
            /** Format: email */
            email: string;
            items: {
                bookId: number;
                count: number;
            }[];
        };
        RootGet200: {
            shop: string;
            books: string;
            featured: string;
            authors: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
