/** Compiles only if its type argument is `true`. */
export function assertType<T extends boolean>(_expected: T): void {}

/** Whether two types are the same, `any` and `unknown` told apart. */
export type IsExact<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true
  : false;

/** Whether `A` has `B` among its members. */
export type Has<A, B> = [B] extends [A] ? true : false;
