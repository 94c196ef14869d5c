import * as assertions from "npm:deno-std@1.2.0/assert/mod.js";

// deno-lint-ignore no-explicit-any
type AnyClass<T> = abstract new (...args: any[]) => T;

export const assert: (expr: unknown, msg?: string) => asserts expr =
  assertions.assert;

export const assertEquals: <T>(actual: T, expected: T, msg?: string) => void =
  assertions.assertEquals;

export const assertNotEquals: <T>(
  actual: T,
  expected: T,
  msg?: string,
) => void = assertions.assertNotEquals;

export const assertStrictEquals: <T>(
  actual: unknown,
  expected: T,
  msg?: string,
) => asserts actual is T = assertions.assertStrictEquals;

export const assertExists: <T>(
  actual: T,
  msg?: string,
) => asserts actual is NonNullable<T> = assertions.assertExists;

export const assertGreater: <T>(actual: T, expected: T, msg?: string) => void =
  assertions.assertGreater;

export const assertLess: <T>(actual: T, expected: T, msg?: string) => void =
  assertions.assertLess;

export const assertMatch: (
  actual: string,
  expected: RegExp,
  msg?: string,
) => void = assertions.assertMatch;

export const assertStringIncludes: (
  actual: string,
  expected: string,
  msg?: string,
) => void = assertions.assertStringIncludes;

export const assertInstanceOf: <T extends AnyClass<unknown>>(
  actual: unknown,
  expectedType: T,
  msg?: string,
) => asserts actual is InstanceType<T> = assertions.assertInstanceOf;

export const assertObjectMatch: (
  actual: Readonly<Record<PropertyKey, unknown>>,
  expected: Readonly<Record<PropertyKey, unknown>>,
  msg?: string,
) => void = assertions.assertObjectMatch;

export const assertThrows: <E extends Error = Error>(
  fn: () => unknown,
  ErrorClass?: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
) => E = assertions.assertThrows;

export const assertRejects: <E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
) => Promise<E> = assertions.assertRejects;
