/** The counter of a key, as {@linkcode ProtectionStore.increment} returns it. */
export interface Counter {
  /** The calls in the window, including this call. */
  readonly count: number;
  /** The time until the window ends, in milliseconds: more than 0. */
  readonly left: number;
}

/** The claim of an owner to a key. */
export interface Claim {
  /** A string that only this claim has, such as a random UUID. */
  readonly owner: string;
  /** The digest of the request, to recognize a key that is used for another request. */
  readonly fingerprint: string;
  /** The time after which the claim expires unless it is renewed, in milliseconds. */
  readonly lease: number;
}

/** The result of {@linkcode ProtectionStore.claim}. */
export type ClaimResult =
  /** The key is now the owner's: it was free, or the lease of another owner expired. */
  | { readonly state: "claimed" }
  /** Another owner has the key; its lease expires in `left` milliseconds. */
  | {
    readonly state: "running";
    readonly fingerprint: string;
    readonly left: number;
  }
  /** Another owner finished, and stored this value. */
  | {
    readonly state: "finished";
    readonly fingerprint: string;
    readonly value: Uint8Array<ArrayBuffer>;
  };

/** A value to keep, and how long. */
export interface Outcome {
  /** The value that later claims of the key receive. */
  readonly value: Uint8Array<ArrayBuffer>;
  /** The time after which the key is free again, in milliseconds. */
  readonly ttl: number;
}

/**
 * Keeps counters and claimed keys. Counters and claimed keys are separate: a counter
 * and a claim may have the same key.
 *
 * Each method is atomic, even if several processes call it at once. A method throws or
 * rejects if the store fails. Bough passes keys of at most 256 characters.
 */
export interface ProtectionStore {
  /**
   * Adds 1 to the counter of a key. Its window begins with the first call, and with the
   * first call after the window has ended.
   *
   * @param key The key.
   * @param window The length of a window in milliseconds, if this call begins one.
   */
  increment(key: string, window: number): Counter | PromiseLike<Counter>;
  /**
   * Claims a key for an owner, unless another owner has the key or has finished.
   *
   * @param key The key.
   * @param claim The owner, its request and its lease.
   */
  claim(key: string, claim: Claim): ClaimResult | PromiseLike<ClaimResult>;
  /**
   * Extends the lease of a claim, so that it expires `lease` milliseconds from now.
   *
   * @returns `false` if another owner has claimed the key after the lease expired; the
   * store then changes nothing. If the key is still free after the lease, the store may
   * return either.
   */
  renew(
    key: string,
    owner: string,
    lease: number,
  ): boolean | PromiseLike<boolean>;
  /**
   * Ends a claim: stores the outcome. Without an outcome, frees the key.
   *
   * @returns `false` in the same cases as `renew()`.
   */
  finish(
    key: string,
    owner: string,
    outcome?: Outcome,
  ): boolean | PromiseLike<boolean>;
}
