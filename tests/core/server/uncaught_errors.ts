import { revoked } from "../../support/hostile.ts";

function fail(name: string): never {
  throw new Error(`oops ${name}`);
}

/** Ways to throw an error that no handler can catch; its message has "oops" and its name. */
export const UNCAUGHT: Readonly<Record<string, (request: Request) => unknown>> =
  {
    timer: () => setTimeout(() => fail("timer")),
    rejection: () => void Promise.reject(new Error("oops rejection")),
    listener: () => {
      const target = new EventTarget();
      target.addEventListener("x", () => fail("listener"));
      target.dispatchEvent(new Event("x"));
    },
    finished: ({ signal }) =>
      signal.addEventListener("abort", () => fail("finished")),
    worker: () => {
      const code = "setTimeout(() => { throw new Error('oops worker') })";
      new Worker(`data:text/javascript,${code}`, { type: "module" });
    },
    null: () => {
      const deeper = (): number => 1 + deeper();
      setTimeout(deeper);
      setTimeout(() => {
        throw null;
      });
      setTimeout(() => fail("null"));
    },
    malicious: () => {
      const error = new Error("x");
      for (const member of ["stack", "message", "name", "cause"]) {
        Object.defineProperty(error, member, { get: () => fail(member) });
      }
      setTimeout(() => {
        throw error;
      });
      void Promise.reject(error);
      void Promise.reject(revoked({}));
      class Odd extends Error {
        [Symbol.for("Deno.customInspect")](): never {
          fail("odd");
        }
      }
      setTimeout(() => {
        throw new Odd();
      });
      setTimeout(() => fail("malicious"));
    },
  };
