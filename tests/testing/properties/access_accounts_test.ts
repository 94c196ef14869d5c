/** Accounts, whose members a request sets although no body declares them. */
import { HttpError } from "@bough/framework";
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
  /** Rejects a request for a user, which everyone may send. */
  readonly read?: (request: Request) => void;
}

/** The account of the user who logs in, and the registration of users. */
function accountModules(
  users: Map<string, User>,
  { change = () => {}, register = () => {}, read = () => {} }: AccountParts,
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
      GET: (request) => {
        read(request);
        const user = users.get(request.params.userId!);
        return user ? Response.json({ user }) : message(404, "none");
      },
    },
  };
}

const SINCE = "since the schema of the body does not declare it";

/** The further findings of two named identities, since everyone has an account. */
const ANONYMOUS = ["GET /me", "PATCH /me"].map((name) =>
  `${name}: a rejection of anonymous requests, since the access is owner <> a 200`
);

const CASES: Readonly<Record<string, readonly [AccountParts, ...string[]]>> = {
  "only declared members": [{}],
  "one more member": [{
    change: (user, raw) => {
      if (raw.verified) user.verified = true;
    },
  }, `PATCH /me: "verified" other than true, ${SINCE} <> "verified": true`],
  "every member": [{
    change: (user, raw) => Object.assign(user, raw),
  }, `PATCH /me: "id" other than "alicex", ${SINCE} <> "id": "alicex"`],
  // A second registration with the same address is rejected.
  "a role at registration": [{
    register: (user, raw) => void (user.role = raw.role ?? user.role),
  }, `POST /users: "role" other than "memberx", ${SINCE} <> "role": "memberx"`],
  "members that change by themselves": [{
    change: (user) => {
      user.verified = true;
      user.balance += 1;
    },
    register: (user) => void (user.verified = user.email.length > 3),
  }],
  "a rejection of one user by an operation of the public": [
    {
      read: ({ headers }) => {
        const isBob = headers.get("authorization")?.endsWith("bob");
        if (isBob) throw new HttpError(403);
      },
    },
    ...ANONYMOUS,
    'GET /users/[userId]: a response other than 403 for "bob", since the access is public <> a 403',
  ],
};

for (const [name, [parts, ...wanted]] of Object.entries(CASES)) {
  Deno.test(`access: what requests set in accounts: ${name}`, async () => {
    const users = new Map<string, User>();
    const modules = accountModules(users, parts);
    const { app } = TestApplication.of(modules);
    const reset = () => users.clear();
    const [alice, bob] = ["alice", "bob"].map((name) => ({
      authorization: `Bearer ${name}`,
    }));
    // One identity suffices for what requests set.
    const as = parts.read ? { alice, bob } : alice;
    const { failures } = await check(modules, {
      as: as as never,
      reset,
      seed: 5,
      runs: 20,
      properties: ["access"],
    });
    assertEquals(
      failures.map(({ operation, expected, seen }) =>
        `${operation.replace("/api", "")}: ${expected} <> ${seen}`
      ),
      wanted,
    );
    for (const { test } of failures) {
      reset();
      assertEquals(await passesFast(test, app, as as never), false, test);
    }
  });
}
