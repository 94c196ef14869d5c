import type { DocumentedResponse, Reference } from "./types.ts";

/** The responses that several operations have; these refer to them. */
export class SharedResponses {
  readonly #responses = new Map<string, DocumentedResponse>();

  /** Adds a response, under a name of its own if another has taken this one. */
  add(name: string, response: DocumentedResponse): Reference {
    const content = JSON.stringify(response);
    for (let count = 1;; count++) {
      const key = count === 1 ? name : `${name}${count}`;
      const known = this.#responses.get(key);
      if (known === undefined) this.#responses.set(key, response);
      if (known === undefined || JSON.stringify(known) === content) {
        return { $ref: `#/components/responses/${key}` };
      }
    }
  }

  /** The responses by name. */
  all(): Record<string, DocumentedResponse> {
    const sorted = [...this.#responses].sort(([a], [b]) => a < b ? -1 : 1);
    return Object.fromEntries(sorted);
  }
}
