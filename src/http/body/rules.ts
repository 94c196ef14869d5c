import type { HttpError } from "../http_error.ts";

/** The rules for reading the whole body of a request. */
export interface BodyRules {
  /** The size of the largest body, in bytes. */
  readonly limit: number;
  /** How long a body may take to arrive, in milliseconds. */
  readonly timeout: number;
  /** Whether the bytes can still be read after the body was read as JSON. */
  readonly raw: boolean;
  /** Returns the error that refuses a body which another site may have sent. */
  readonly refuse: (request: Request) => HttpError | undefined;
}

/** The `config` export of a route file or a middleware file. */
export interface BodyConfig {
  /** The size of the largest body that the route reads as a whole, in bytes. */
  readonly bodyLimit?: number;
  /**
   * Keeps the exact bytes of a body that was read as JSON, say by validation. Then
   * `request.text()` and `request.bytes()` can check the signature of a webhook.
   */
  readonly rawBody?: boolean;
}
