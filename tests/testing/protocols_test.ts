/** Servers of given protocols pass: storage, a tus server, a registry and Git LFS. */
import { content, HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import type { CheckOptions } from "@bough/framework/testing";
import { file } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { check, found, type Modules, Store } from "./support.ts";

const missing = { 404: Problem };

/** Files of any type, which a `PUT` creates. */
function storage({ types }: { readonly types?: string[] } = {}): Modules {
  const files = new Store<Blob>();
  return {
    "files/[name]/route.ts": {
      schema: {
        put: {
          body: file({ maxSize: 500, ...types && { types } }),
          response: { 201: {}, 204: {} },
        },
        get: { response: { 200: content("*/*"), ...missing } },
        delete: { response: { 204: {}, ...missing } },
      },
      PUT: async ({ params: { name }, validated: { body } }) => {
        const status = files.has(name!) ? 204 : 201;
        const bytes = await new Response(body.stream).bytes();
        files.set(name!, new Blob([bytes], { type: body.type }));
        return new Response(null, { status });
      },
      GET: ({ params: { name } }) => new Response(files.find(name)),
      DELETE: ({ params: { name } }) => files.remove(name),
    },
    "files/[name]/size/route.ts": {
      schema: { get: { response: { 200: z.int(), ...missing } } },
      GET: ({ params: { name } }) => Response.json(files.find(name).size),
    },
  };
}

const natural = z.string().regex(/^(0|[1-9]\d{0,9})$/).transform(Number);

const TUS = {
  /** The path after the identifier in the `Location`. */
  end: "",
  keeps: true,
  deletes: true,
};

/** Uploads whose `Location` has `HEAD` and no `GET`. */
function tus(parts: Partial<typeof TUS> = {}): Modules {
  const { end, keeps, deletes } = { ...TUS, ...parts };
  const headers = z.object({ "tus-resumable": z.literal("1.0.0") });
  const uploads = new Store<number>();
  const params = z.object({ id: z.uuid() });
  const offset = { headers: z.object({ "upload-offset": z.string() }) };
  const withOffset = (status: number, offset: number) =>
    new Response(null, { status, headers: { "upload-offset": `${offset}` } });
  return {
    "uploads/route.ts": {
      schema: {
        post: {
          headers: headers.extend({ "upload-length": natural }),
          response: { 201: { headers: z.object({ location: z.string() }) } },
        },
      },
      POST: () => {
        const id = crypto.randomUUID();
        if (keeps) uploads.set(id, 0);
        const location = `/api/uploads/${id}${end}`;
        return new Response(null, { status: 201, headers: { location } });
      },
    },
    "uploads/[id]/route.ts": {
      schema: {
        head: { params, headers, response: { 200: offset, ...missing } },
        patch: {
          params,
          headers: headers.extend({ "upload-offset": natural }),
          body: file({
            types: ["application/offset+octet-stream"],
            maxSize: 500,
          }),
          response: { 204: offset, ...missing, 409: Problem },
        },
        delete: { params, headers, response: { 204: {}, ...missing } },
      },
      HEAD: ({ params: { id } }) => withOffset(200, uploads.find(id)),
      PATCH: async ({ params: { id }, validated: { headers, body } }) => {
        const sum = uploads.find(id);
        if (headers["upload-offset"] !== sum) throw new HttpError(409);
        const { length } = await new Response(body.stream).bytes();
        uploads.set(id!, sum + length);
        return withOffset(204, sum + length);
      },
      DELETE: ({ params: { id } }) => {
        const found = uploads.find(id);
        const response = uploads.remove(id);
        if (!deletes) uploads.set(id!, found);
        return response;
      },
    },
  };
}

const REGISTRY = {
  /** The schema of members that the server replaces. */
  own: z.string().meta({ readOnly: true }) as z.ZodString,
  keepsSum: true,
};

/** A registry, which replaces the identifier and the address of each version. */
function registry(parts: Partial<typeof REGISTRY> = {}): Modules {
  const { own, keepsSum } = { ...REGISTRY, ...parts };
  const dist = z.object({ shasum: z.string(), tarball: own.optional() });
  const Version = z.object({ files: z.array(dist), dist });
  const Package = z.object({
    _id: own.nullable(),
    author: z.string(),
    versions: z.record(z.string(), Version),
  });
  const packages = new Store<z.infer<typeof Package>>();
  return {
    "packages/[name]/route.ts": {
      schema: {
        put: {
          body: Package,
          response: { 201: z.object({ ok: z.boolean() }) },
        },
        get: { response: { 200: Package, ...missing } },
        delete: { response: { 204: {}, ...missing } },
      },
      PUT: ({ params: { name = "" }, validated: { body } }) => {
        const given: z.infer<typeof Package> = body;
        const [first = given.author] = [packages.get(name)?.author];
        const replaced = (each: z.infer<typeof dist>) => ({
          ...each,
          tarball: `http://localhost/${name}.tgz`,
        });
        const versions = Object.entries(given.versions)
          .map(([version, { files, dist }]) =>
            [
              version,
              { files: files.map(replaced), dist: replaced(dist) },
            ] as const
          );
        packages.set(name, {
          _id: name,
          author: keepsSum ? given.author : first,
          versions: Object.fromEntries(versions),
        });
        return Response.json({ ok: true }, { status: 201 });
      },
      GET: ({ params: { name } }) => Response.json(packages.find(name)),
      DELETE: ({ params: { name } }) => packages.remove(name),
    },
  };
}

/** Objects whose identifiers are the hashes of their bytes. */
function lfs(): Modules {
  const objects = new Store<Uint8Array<ArrayBuffer>>();
  const params = z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/) });
  return {
    "objects/[oid]/route.ts": {
      schema: {
        put: {
          params,
          body: file({ types: ["application/octet-stream"], maxSize: 500 }),
          response: { 200: {}, 422: Problem },
        },
        get: {
          params,
          response: { 200: content("application/octet-stream"), ...missing },
        },
      },
      PUT: async ({ params: { oid = "" }, validated: { body } }) => {
        const bytes = await new Response(body.stream).bytes();
        const hash = await crypto.subtle.digest("SHA-256", bytes);
        if (new Uint8Array(hash).toHex() !== oid) throw new HttpError(422);
        objects.set(oid, bytes);
        return new Response();
      },
      GET: ({ params: { oid } }) => {
        const headers = { "content-type": "application/octet-stream" };
        return new Response(objects.find(oid), { headers });
      },
    },
    "objects/[oid]/verify/route.ts": {
      schema: {
        post: {
          params,
          body: z.object({ size: z.int() }),
          response: { 200: {}, ...missing, 422: Problem },
        },
      },
      POST: ({ params: { oid }, validated: { body: { size } } }) => {
        if (objects.find(oid).length !== size) throw new HttpError(422);
        return new Response();
      },
    },
  };
}

/** Notes in buckets. The first `PUT` of a note creates its bucket. */
function buckets(): Modules {
  const buckets = new Store<Store<string>>();
  return {
    "[bucket]/notes/[name]/route.ts": {
      schema: {
        put: {
          body: content("text/plain", z.string().min(1).max(50)),
          response: { 204: {} },
        },
        get: { response: { 200: content("text/plain"), ...missing } },
      },
      PUT: ({ params: { bucket = "", name = "" }, validated: { body } }) => {
        const notes = buckets.get(bucket) ?? new Store<string>();
        buckets.set(bucket, notes.set(name, body));
        return new Response(null, { status: 204 });
      },
      GET: ({ params: { bucket, name } }) =>
        new Response(buckets.find(bucket).find(name), {
          headers: { "content-type": "text/plain" },
        }),
    },
    "[bucket]/size/route.ts": {
      schema: { get: { response: { 200: z.int(), ...missing } } },
      GET: ({ params: { bucket } }) => Response.json(buckets.find(bucket).size),
    },
  };
}

/** Notes whose schema of headers allows certain content types. */
const typed = (headers: z.ZodObject) => (): Modules => ({
  "notes/route.ts": {
    schema: {
      post: {
        headers,
        body: z.object({ text: z.string() }).optional(),
        response: { 200: {} },
      },
    },
    POST: () => new Response(),
  },
  "notes/file/route.ts": {
    schema: {
      put: {
        headers: z.object({ "content-type": z.enum(["text/plain"]) }),
        body: file({ types: ["text/*"], maxSize: 500 }),
        response: { 200: {} },
      },
    },
    PUT: async ({ validated: { body } }) => {
      await new Response(body.stream).bytes();
      return new Response();
    },
  },
});

/** A valid object: its name is the hash of its bytes. */
const OBJECT: CheckOptions["generators"] = {
  "PUT /objects/[oid]": {
    params: [{
      oid: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    }],
    body: [new File(["foo"], "foo", { type: "application/octet-stream" })],
    only: true,
  },
  "POST /objects/[oid]/verify": { body: [{ size: 3 }] },
};

const CORRECT: Readonly<Record<string, [() => Modules, CheckOptions?]>> = {
  "any file": [storage],
  "any text": [() => storage({ types: ["text/*"] })],
  "JSON and XML": [() => storage({ types: ["application/json", "text/xml"] })],
  "buckets that a PUT creates": [buckets],
  "a tus server": [tus],
  "a registry": [registry],
  "headers that require JSON": [
    typed(z.object({ "content-type": z.literal("application/json") })),
  ],
  "headers that forbid a content type": [
    typed(z.strictObject({ "x-kind": z.string().optional() })),
  ],
  "Git LFS": [lfs, { generators: OBJECT }],
};

for (const [name, [make, options]] of Object.entries(CORRECT)) {
  Deno.test(`contract tests find no failure in a correct server: ${name}`, async () => {
    const report = await check(make(), { runs: 40, seed: 1, ...options });
    assertEquals([found(report), report.untested], [[], []]);
  });
}

const FAULTY: Readonly<Record<string, [() => Modules, string[]]>> = {
  "a Location without a route": [
    () => tus({ end: "/data" }),
    ["state POST /api/uploads"],
  ],
  "an upload that is not kept": [
    () => tus({ keeps: false }),
    ["state POST /api/uploads"],
  ],
  "an upload that is not deleted": [
    () => tus({ deletes: false }),
    ["state POST /api/uploads"],
  ],
  "a replaced member that is not read-only": [
    () => registry({ own: z.string() }),
    ["state PUT /api/packages/[name]"],
  ],
  "a member beside a read-only member that is not kept": [
    () => registry({ keepsSum: false }),
    ["state PUT /api/packages/[name]"],
  ],
};

for (const [name, [make, wanted]] of Object.entries(FAULTY)) {
  Deno.test(`contract tests find ${name}`, async () => {
    assertEquals(found(await check(make(), { runs: 40 })), wanted);
  });
}
