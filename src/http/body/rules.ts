import type { HttpError } from "../http_error.ts";

/** The rules by which the body of a request is read as a whole. */
export interface BodyRules {
  /** The largest body to read, in bytes. */
  readonly limit: number;
  /** How long a body may take to arrive, in milliseconds. */
  readonly timeout: number;
  /** Whether the exact bytes stay readable after a body was read as JSON. */
  readonly raw: boolean;
  /** Why a body that another site may have sent is refused, or nothing. */
  readonly refuse: (request: Request) => HttpError | undefined;
}

/** What the `config` of a route file or of a middleware file may say of bodies. */
export interface BodyConfig {
  /** The largest body that the route reads as a whole, in bytes. */
  readonly bodyLimit?: number;
  /**
   * Keeps the exact bytes of a body that was read as JSON, say by validation, so
   * that `request.text()` and `request.bytes()` still give them: for the signature
   * of a webhook.
   */
  readonly rawBody?: boolean;
}
