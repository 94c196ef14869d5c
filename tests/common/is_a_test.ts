import { assertEquals } from "@std/assert";
import { isA, isAbort } from "../../src/common/values.ts";

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
  revoke();
  return proxy;
}

Deno.test("isA() says whether a value is of a class, and never throws", () => {
  assertEquals(isA(new TypeError("x"), Error), true);
  assertEquals(isA(new Error("x"), TypeError), false);
  assertEquals(isA("x", Error), false);
  assertEquals(isA(undefined, Error), false);
  assertEquals(isA(revoked(), Error), false);
});

Deno.test("isAbort() knows the error of an aborted signal, and never throws", () => {
  assertEquals(isAbort(AbortSignal.abort().reason), true);
  assertEquals(isAbort(new DOMException("late", "TimeoutError")), false);
  assertEquals(
    isAbort(Object.assign(new Error("x"), { name: "AbortError" })),
    false,
  );
  assertEquals(isAbort(undefined), false);
  assertEquals(isAbort(revoked()), false);
  const error = new DOMException("x");
  Object.defineProperty(error, "name", {
    get: () => {
      throw new Error("its name throws");
    },
  });
  assertEquals(isAbort(error), false);
});
