/** The headers of the users that every new application has. */

/** The tokens of the sessions that exist at startup. */
export const TOKENS = {
  alice: "alice-1f0c5d2e",
  bob: "bob-7a39b84c",
  admin: "admin-c2d6e0f1",
  /** A session of Alice that has ended. */
  expired: "expired-5b8e9a17",
} as const;

/** The headers of a request of each user, and of an expired session. */
export const identities: Readonly<
  Record<keyof typeof TOKENS, Readonly<Record<string, string>>>
> = {
  alice: { authorization: `Bearer ${TOKENS.alice}` },
  bob: { authorization: `Bearer ${TOKENS.bob}` },
  admin: { authorization: `Bearer ${TOKENS.admin}` },
  expired: { authorization: `Bearer ${TOKENS.expired}` },
};
