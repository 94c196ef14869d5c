import type { OriginCheck } from "./body/cross_site.ts";
import type { ErrorHandler } from "./failure.ts";
import type { OpenConnections } from "./open_connections.ts";
import type { ResponseValidation } from "./validation/check_response.ts";

/** What all routes of an application share. */
export interface Application {
  /** The streams and sockets that it holds open. */
  readonly connections: OpenConnections;
  /** Whether the page that a request comes from is trusted. */
  readonly isTrusted: OriginCheck;
  /** What to do about a response that does not fit its schema. */
  readonly validateResponses: ResponseValidation;
  /** Whether responses carry the header `Server-Timing`. */
  readonly serverTiming: boolean;
  /** Its own error handler. */
  readonly onError: ErrorHandler | undefined;
}
