import { EventEmitter } from "node:events";
import { nextTick } from "node:process";
import { revoked } from "../../support/hostile.ts";

function fail(name: string): never {
  throw new Error(`oops ${name}`);
}

/** Ways to throw an error that no handler can catch; its message has "oops" and its name. */
export const UNCAUGHT: Readonly<Record<string, (request: Request) => unknown>> =
  {
    timer: () => setTimeout(() => fail("timer")),
    interval: () => {
      const id = setInterval(() => {
        clearInterval(id);
        fail("interval");
      });
    },
    microtask: () => queueMicrotask(() => fail("microtask")),
    rejection: () => void Promise.reject(new Error("oops rejection")),
    async: async () => {
      await Promise.resolve();
      fail("async");
    },
    listener: () => {
      const target = new EventTarget();
      target.addEventListener("x", () => fail("listener"));
      target.dispatchEvent(new Event("x"));
    },
    abort: () =>
      AbortSignal.timeout(1).addEventListener("abort", () => fail("abort")),
    finished: ({ signal }) =>
      signal.addEventListener("abort", () => fail("finished")),
    port: () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        fail("port");
      };
      port2.postMessage(0);
    },
    stream: () =>
      new ReadableStream({
        start(controller) {
          controller.close();
          setTimeout(() => {
            try {
              controller.enqueue("x");
            } catch (cause) {
              throw new Error("oops stream", { cause });
            }
          });
        },
      }),
    node: () =>
      setTimeout(() =>
        new EventEmitter().emit("error", new Error("oops node"))
      ),
    tick: () => nextTick(() => fail("tick")),
    worker: () => {
      const code = "setTimeout(() => { throw new Error('oops worker') })";
      new Worker(`data:text/javascript,${code}`, { type: "module" });
    },
    null: () => {
      setTimeout(() => {
        throw null;
      });
      setTimeout(() => fail("null"));
    },
    overflow: () => {
      const deeper = (): number => 1 + deeper();
      setTimeout(deeper);
      setTimeout(() => fail("overflow"));
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
