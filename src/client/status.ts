/**
 * The statuses that a final response may have, as IANA registers them: those of
 * 100 to 199 never reach a caller of `fetch`.
 */
export type KnownStatus =
  | SuccessStatus
  | RedirectionStatus
  | ClientErrorStatus
  | ServerErrorStatus;

/** The statuses of success that are registered. */
export type SuccessStatus =
  | 200
  | 201
  | 202
  | 203
  | 204
  | 205
  | 206
  | 207
  | 208
  | 226;

/** The statuses of redirection that are registered. */
export type RedirectionStatus = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;

/** The statuses of a client's errors that are registered. */
export type ClientErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451;

/** The statuses of a server's errors that are registered. */
export type ServerErrorStatus =
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 510
  | 511;
