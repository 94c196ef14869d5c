import { z } from "zod";

/** The name of a package, such as `@acme/tree`. */
export const Name = z.string().max(214).regex(
  /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/,
);

/** A version of SemVer 2.0, such as `1.0.0-beta.1`. */
export const Version = z.string().max(256).regex(
  /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/,
);

/** A tag, such as `latest`. */
export const Tag = z.string().max(100).regex(/^[a-z][a-z0-9-]*$/);

/** The `package.json` of a version, to which `npm` adds `dist`. */
export const Manifest = z.looseObject({
  name: Name,
  version: Version,
  dist: z.looseObject({
    integrity: z.string().regex(/^sha512-[0-9A-Za-z+/]{86}==$/),
    tarball: z.url(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

const Package = z.looseObject({
  name: Name,
  "dist-tags": z.record(Tag, Version),
  versions: z.record(Version, Manifest),
});

/** The document of a package. */
export const Packument = Package.extend({ _id: Name });
export type Packument = z.infer<typeof Packument>;

/** The body of `npm publish`: one version, and its tarball. */
export const Publication = Package.extend({
  _attachments: z.record(z.string(), z.looseObject({ data: z.base64() })),
});
export type Publication = z.infer<typeof Publication>;

/** A known vulnerability of a package. */
export const Advisory = z.object({
  id: z.int(),
  url: z.url(),
  title: z.string(),
  severity: z.enum(["info", "low", "moderate", "high", "critical"]),
  vulnerable_versions: z.string(),
});
export type Advisory = z.infer<typeof Advisory>;
