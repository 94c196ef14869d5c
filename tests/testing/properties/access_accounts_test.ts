/** Accounts, whose members a request sets although no body declares them. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { check, type Modules, passesFast } from "../support.ts";
import { type Body, rawOf } from "./access_notes.ts";

interface User {
  readonly id: string;
  email: string;
  role: string;
  verified: boolean;
  balance: number;
}

/** Faults that changes of accounts and registrations may have. */
interface AccountParts {
  readonly change?: (user: User, raw: Body) => void;
  readonly register?: (user: User, raw: Body) => void;
}

/** The account of the user who logs in, and the registration of users. */
function accountModules(
  users: Map<string, User>,
  { change = () => {}, register = () => {} }: AccountParts,
): Modules {
  const Envelope = z.object({
    user: z.object({
      id: z.string(),
      email: z.string(),
      role: z.string(),
      verified: z.boolean(),
      balance: z.number(),
    }),
  });
  const body = z.object({ user: z.object({ email: z.string() }) });
  const Message = z.object({ message: z.string() });
  const message = (status: number, message: string) =>
    Response.json({ message }, { status });
  const fresh = (id: string, email: string): User => ({
    id,
    email,
    role: "member",
    verified: false,
    balance: 0,
  });
  const own = ({ headers }: Request) => {
    const name = headers.get("authorization")?.slice("Bearer ".length) ??
      "nobody";
    return users.getOrInsertComputed(name, () => fresh(name, name));
  };
  return {
    "me/route.ts": {
      schema: {
        get: { access: "owner", response: Envelope },
        patch: { access: "owner", body, response: Envelope },
      },
      GET: (request) => Response.json({ user: own(request) }),
      PATCH: async (request) => {
        const { user: raw } = await rawOf(request);
        const user = own(request);
        user.email = request.validated.body.user.email;
        change(user, raw);
        return Response.json({ user });
      },
    },
    "users/route.ts": {
      schema: {
        post: {
          access: "public",
          body,
          response: { 201: Envelope, 409: Message },
        },
      },
      POST: async (request) => {
        const { user: raw } = await rawOf(request);
        const { email } = request.validated.body.user;
        if ([...users.values()].some((user) => user.email === email)) {
          return message(409, "taken");
        }
        const user = fresh(String(users.size), email);
        register(user, raw);
        users.set(user.id, user);
        return Response.json({ user }, { status: 201 });
      },
    },
    "users/[userId]/route.ts": {
      schema: {
        get: { access: "public", response: { 200: Envelope, 404: Message } },
      },
      GET: ({ params }) => {
        const user = users.get(params.userId!);
        return user ? Response.json({ user }) : message(404, "none");
      },
    },
  };
}

async function checkAccount(parts: AccountParts): Promise<string[]> {
  const users = new Map<string, User>();
  const modules = accountModules(users, parts);
  const { app } = TestApplication.of(modules);
  const reset = () => users.clear();
  // One identity suffices.
  const as = { authorization: "Bearer alice" };
  const report = await check(modules, {
    as,
    reset,
    seed: 5,
    runs: 20,
    properties: ["access"],
  });
  for (const { test } of report.failures) {
    reset();
    assertEquals(await passesFast(test, app, as), false, test);
  }
  return report.failures.map(({ operation, expected, seen }) =>
    `${operation.replace("/api", "")}: ${expected} <> ${seen}`
  );
}

Deno.test("a member that a request sets without a declaration is found in an envelope", async () => {
  const since = "since the schema of the body does not declare it";
  assertEquals(await checkAccount({}), []);
  assertEquals(
    await checkAccount({
      change: (user, raw) => {
        if (raw.verified) user.verified = true;
      },
    }),
    [`PATCH /me: "verified" other than true, ${since} <> "verified": true`],
  );
  assertEquals(
    await checkAccount({ change: (user, raw) => Object.assign(user, raw) }),
    [`PATCH /me: "id" other than "alicex", ${since} <> "id": "alicex"`],
  );
  // A second registration with the same address is rejected.
  assertEquals(
    await checkAccount({
      register: (user, raw) => void (user.role = raw.role ?? user.role),
    }),
    [`POST /users: "role" other than "memberx", ${since} <> "role": "memberx"`],
  );
  // A member that changes by itself is not set by the request.
  assertEquals(
    await checkAccount({
      change: (user) => {
        user.verified = true;
        user.balance += 1;
      },
      register: (user) => void (user.verified = user.email.length > 3),
    }),
    [],
  );
});
