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

/** Lines that look like the frames of a stack. */
export function imitatedFrames(url: string): string {
  return `\n    at read (${url}:1:1)\n    at async ${url}:2:1\n    at ${url}:3:1`;
}

/** Errors with text that imitates frames, by the place of the text. */
export const IMITATIONS: Readonly<Record<string, (text: string) => Error>> = {
  "a message": (text) => new Error(`x${text}`),
  "a message that is only frames": (text) => new Error(text),
  "a message of V8": (text) => {
    try {
      BigInt(`1${text}`);
    } catch (error) {
      return error as Error;
    }
    throw new Error("BigInt() accepted the text");
  },
  "a message of Deno": (text) => {
    try {
      Deno.readTextFileSync(`x${text}`);
    } catch (error) {
      return error as Error;
    }
    throw new Error("a file has the text as its name");
  },
  "a message that was shortened after the stack was read": (text) => {
    const error = new Error(`x${text}`);
    void error.stack;
    return Object.assign(error, { message: "x" });
  },
  "a message that was changed": (text) =>
    Object.assign(new Error("x"), { message: text }),
  "a name": (text) => Object.assign(new Error("x"), { name: `Error${text}` }),
  "a stack that was replaced": (text) =>
    Object.assign(new Error("x"), { stack: `Error: x${text}` }),
  "a stack that was replaced after it was read": (text) => {
    const error = new Error("x");
    return Object.assign(error, { stack: `${error.stack}${text}` });
  },
  "a stack that is a getter": (text) =>
    Object.defineProperty(new Error("x"), "stack", {
      get: () => `Error: x${text}`,
    }),
  "a clone": (text) => structuredClone(new Error(`x${text}`)),
  "a DOMException": (text) => new DOMException(`x${text}`, `AbortError${text}`),
  "an error without frames": (text) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const error = new Error(`x${text}`);
    Error.stackTraceLimit = stackTraceLimit;
    return error;
  },
  "an error with the prototype alone": (text) =>
    Object.setPrototypeOf({ stack: `Error${text}` }, Error.prototype),
  "a cause": (text) => new Error("x", { cause: new Error(`y${text}`) }),
  "an error in an AggregateError": (text) =>
    new AggregateError([new Error(`y${text}`)], `x${text}`),
};
