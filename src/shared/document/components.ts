import { getOrCompute } from "../../core/common/values.ts";
import {
  definitionName,
  type Direction,
  type JsonSchema,
} from "../../core/schema/json_schema.ts";
import type { DocumentedResponse, Reference } from "../types.ts";
import {
  addNamed,
  COMPONENT,
  freeName,
  mapReferences,
  reachableNames,
} from "./json_schema.ts";

/** A named schema. */
interface Definition {
  /** The preferred name. */
  readonly id: string;
  /** The schema, whose references are keys until all names are known. */
  readonly schema: JsonSchema;
  /** Whether a response contains the schema. */
  isOutput: boolean;
}

/**
 * The named schemas of a document, which have an id or are recursive, and the responses that
 * operations share.
 *
 * The input and the output of a schema may differ, for example if a member has a
 * default. In that case, the output keeps the name `Book`, and the input becomes
 * `BookInput`. The names are final when all schemas have been added. Until then, a
 * reference is a key, such as `Book?2`.
 */
export class Components {
  readonly #definitions = new Map<string, Definition>();
  /** The JSON of each schema and of all schemas to which it refers, by key. */
  readonly #signatures = new Map<string, string>();
  readonly #responses = new Map<string, DocumentedResponse>();

  /**
   * Adds the definitions of a schema.
   *
   * @returns The schema, with references into the document.
   */
  add(json: JsonSchema, direction: Direction): JsonSchema {
    const { $defs = {}, ...root } = json;
    const definitions = $defs as Readonly<Record<string, JsonSchema>>;
    const keys = new Map<string, string>();
    for (const name of Object.keys(definitions)) {
      // Equal definitions share a key.
      const signature = signatureOf(name, definitions);
      keys.set(name, addNamed(this.#signatures, `${idOf(name)}?`, signature));
    }
    const relink = (schema: JsonSchema): JsonSchema =>
      mapReferences(schema, (reference) => {
        const key = keys.get(definitionName(reference, definitions) ?? "");
        return key === undefined ? reference : COMPONENT + key;
      });
    for (const [name, key] of keys) {
      const definition = getOrCompute(this.#definitions, key, () => {
        const schema = relink(definitions[name]!);
        return { id: idOf(name), schema, isOutput: false };
      });
      definition.isOutput ||= direction === "output";
    }
    return relink(root);
  }

  /**
   * Replaces keys with names in a document, and returns the named schemas.
   *
   * @param place The place of the named schemas in the document.
   */
  finish<T>(
    document: T,
    place = COMPONENT,
  ): { document: T; schemas: Record<string, JsonSchema> } {
    const names = this.#names();
    const rename = (reference: string): string => {
      const name = reference.startsWith(COMPONENT)
        ? names.get(reference.slice(COMPONENT.length))
        : undefined;
      return name === undefined ? reference : place + name;
    };
    const named = [...this.#definitions].map(([key, { schema }]) =>
      [names.get(key)!, mapReferences(schema, rename)] as const
    );
    return {
      document: mapReferences(document, rename),
      schemas: sorted(named),
    };
  }

  /**
   * Adds a response that several operations may share. If a different response already
   * has the name, appends a number.
   */
  share(name: string, response: DocumentedResponse): Reference {
    const key = addNamed(this.#responses, name, response);
    return { $ref: `#/components/responses/${key}` };
  }

  responses(): Record<string, DocumentedResponse> {
    return sorted(this.#responses);
  }

  /** The final names by key. The first output with an id keeps the id as its name. */
  #names(): Map<string, string> {
    const names = new Map<string, string>();
    const taken = new Set<string>();
    const entries = [...this.#definitions].sort(([, a], [, b]) =>
      Number(b.isOutput) - Number(a.isOutput)
    );
    const outputs = new Set(
      entries.flatMap(([, { id, isOutput }]) => isOutput ? id : []),
    );
    const rest = entries.filter(([key, { id }]) => {
      if (taken.has(id)) return true;
      taken.add(id);
      names.set(key, id);
      return false;
    });
    for (const [key, { id, isOutput }] of rest) {
      const wanted = !isOutput && outputs.has(id) ? `${id}Input` : id;
      names.set(key, freeName(wanted, taken));
    }
    return names;
  }
}

/** The name of a definition with the characters that OpenAPI allows. */
function idOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
}

/** The JSON of a definition and of all definitions to which it refers. */
function signatureOf(
  name: string,
  definitions: Readonly<Record<string, JsonSchema>>,
): string {
  const names = reachableNames([name], (each) => {
    const found: string[] = [];
    mapReferences(definitions[each], (reference) => {
      found.push(definitionName(reference, definitions) ?? "");
      return reference;
    });
    return found.filter((each) => Object.hasOwn(definitions, each));
  });
  return JSON.stringify([...names].map((each) => [each, definitions[each]]));
}

function sorted<T>(named: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...named].sort(([a], [b]) => a < b ? -1 : 1));
}
