import { HttpError, RequestState } from "@bough/framework";
import { createHash } from "node:crypto";
import type { Advisory, Manifest, Packument, Publication } from "./schemas.ts";

/** The token of the only user. */
export const TOKEN = "npm_0123456789";

/** A package that was published. */
class Package {
  /** The versions by tag. */
  tags: Readonly<Record<string, string>> = {};
  readonly versions = new Map<string, Manifest>();
  /** The tarballs by the names of their files. */
  readonly tarballs = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(readonly name: string) {}

  /** The file of a version, such as `tree-1.0.0.tgz` for `@acme/tree`. */
  fileOf(version: string): string {
    return `${this.name.split("/").at(-1)}-${version}.tgz`;
  }

  /** The packument of the package, whose tarballs are at the origin of the request. */
  packument(origin: string): Packument {
    const folder = `${origin}/${encodeURIComponent(this.name)}/-/`;
    const versions = [...this.versions].map(([version, manifest]) => {
      const dist = { ...manifest.dist, tarball: folder + this.fileOf(version) };
      return [version, { ...manifest, dist }] as const;
    });
    return {
      _id: this.name,
      name: this.name,
      "dist-tags": this.tags,
      versions: Object.fromEntries(versions),
    };
  }
}

/** The packages of a registry, in memory. */
export class Registry {
  readonly #packages = new Map<string, Package>();
  readonly advisories = new Map<string, Advisory[]>();

  /** @throws {HttpError} 404 if nothing was published under this name. */
  get(name: string): Package {
    const found = this.#packages.get(name);
    if (found === undefined) throw new HttpError(404, `There is no ${name}`);
    return found;
  }

  /** Adds a version and its tarball. */
  publish(name: string, sent: Publication): void {
    const stored = this.#packages.get(name) ?? new Package(name);
    const [manifest, ...others] = Object.values(sent.versions);
    if (manifest === undefined || others.length > 0) {
      throw new HttpError(422, "Publish one version at a time");
    }
    const { version, dist } = manifest;
    if (stored.versions.has(version)) {
      throw new HttpError(409, `${version} was published before`);
    }
    const data = sent._attachments[`${name}-${version}.tgz`]?.data ?? "";
    const tarball = Uint8Array.fromBase64(data);
    const digest = createHash("sha512").update(tarball).digest("base64");
    if (dist.integrity !== `sha512-${digest}`) {
      throw new HttpError(422, "The tarball does not have its integrity");
    }
    const tagged = Object.values(sent["dist-tags"]);
    if (
      [sent.name, manifest.name].some((other) => other !== name) ||
      [...Object.keys(sent.versions), ...tagged].some((v) => v !== version)
    ) {
      throw new HttpError(422, `This is not only ${version} of ${name}`);
    }
    stored.versions.set(version, manifest);
    stored.tarballs.set(stored.fileOf(version), tarball);
    stored.tags = { ...stored.tags, ...sent["dist-tags"] };
    this.#packages.set(name, stored);
  }
}

/** The registry of the application. */
export const registry = new RequestState<Registry>("registry");
