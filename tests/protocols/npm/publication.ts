import { createHash } from "node:crypto";
import type { Publication } from "./schemas.ts";

/** What `npm publish` sends for a version, whose tarball has any bytes here. */
export function publication(name: string, version: string): Publication {
  const bytes = new TextEncoder().encode(`${name}@${version}`);
  const digest = createHash("sha512").update(bytes).digest("base64");
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${digest}`,
    tarball: `http://localhost/${name}/-/${file}`,
  };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, dist } },
    _attachments: { [file]: { data: bytes.toBase64() } },
  };
}
