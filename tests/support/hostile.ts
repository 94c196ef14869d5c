/** An error with members that throw when they are read. */
function unreadable(error: Error, ...members: readonly string[]): Error {
  for (const member of members) {
    Object.defineProperty(error, member, {
      get() {
        throw new Error(`the getter of ${member} threw`);
      },
    });
  }
  return error;
}

/** A proxy that throws at every access. Bough does not expect it as a thrown value. */
export function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

class Uninspectable extends Error {
  [Symbol.for("Deno.customInspect")](): string {
    throw new Error("inspecting threw");
  }
}

/** A proxy whose every trap throws. */
const TRAP: unknown = new Proxy(
  {},
  new Proxy({}, {
    get() {
      throw new Error("a trap threw");
    },
  }),
);

/** Values that throw or mislead when they are inspected, by name. */
export const HOSTILE: Readonly<Record<string, unknown>> = {
  "getters of an error": unreadable(
    new Error("x"),
    "stack",
    "message",
    "name",
    "cause",
  ),
  "a stack that is a proxy": Object.assign(new Error("x"), {
    stack: revoked({}),
  }),
  "a cause that is a proxy": new Error("x", { cause: revoked({}) }),
  "a class that cannot be inspected": new Uninspectable("told by its stack"),
  "texts that throw": {
    toString() {
      throw new Error("toString threw");
    },
    get [Symbol.toStringTag]() {
      throw new Error("its tag threw");
    },
  },
  "no prototype": Object.create(null),
  "many that go together": new AggregateError([revoked({}), TRAP]),
  "a symbol": Symbol("x"),
  "nothing": undefined,
  "null": null,
};
