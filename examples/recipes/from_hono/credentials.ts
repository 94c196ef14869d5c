import type { FolderContract } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { Problem } from "@bough/framework/openapi";
import { basicAuth } from "hono/basic-auth";

/** The credentials of a writer. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

let credentials: Credentials | undefined;

/** Sets the credentials of writers: the `Bindings` of the example. */
export function setCredentials(value: Credentials): void {
  if (value.username === "" || value.password === "") {
    throw new Error("Set USERNAME and PASSWORD");
  }
  credentials = value;
}

const contract = {
  security: [{ basic: [] }],
  response: { 401: Problem },
} satisfies FolderContract;

/** Requires the credentials; the contract documents and tests it. */
export const requireCredentials = Object.assign(
  honoMiddleware((c, next) => {
    if (credentials === undefined) throw new Error("Call setCredentials()");
    return basicAuth(credentials)(c, next);
  }),
  { contracts: [contract] as const },
);
