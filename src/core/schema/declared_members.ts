import { getOrCompute, isObject } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  type Branch,
  type Kind,
  KINDS,
  NOTHING,
  OPEN,
  Place,
  Union,
} from "./declared_places.ts";
import {
  constantsOf,
  describesString,
  fitsForm,
  fitsParts,
  isBlank,
  type JsonSchema,
  lenientForm,
  MAX_DEPTH,
  namedBy,
  partsOf,
  targetOf,
} from "./json_schema.ts";

/** The compiled schemas; `undefined` for those without a JSON Schema. */
const known = new WeakMap<StandardSchemaV1, Place | undefined>();

/** The declarations of a schema: all members, if the schema has no JSON Schema. */
export function placeOf(schema: StandardSchemaV1): Place {
  return declaredPlace(schema) ?? OPEN;
}

/** The declarations of a schema; `undefined` if the schema has no JSON Schema. */
export function declaredPlace(schema: StandardSchemaV1): Place | undefined {
  return getOrCompute(
    known,
    schema,
    () => compilePlace(schema, { isCheck: false }),
  );
}

/**
 * Compiles what a schema declares; `undefined` if it has no JSON Schema. `Problem`
 * declares all members, since it allows any extension.
 *
 * @param options `isCheck`: whether to check a value that the schema has accepted. A
 * union then declares all members of its branches. If the schema describes no object at a
 * place, the place declares everything, since the schema converts the object.
 */
export function compilePlace(
  schema: StandardSchemaV1,
  { isCheck }: { readonly isCheck: boolean },
): Place | undefined {
  const { vendor } = schema["~standard"];
  if (vendor === "bough") return OPEN;
  // Zod merges the objects of an intersection, unless they have unknown keywords, and
  // forgets that one of them is loose.
  const root = lenientForm(schema, "input", ({ jsonSchema }) => {
    jsonSchema["~part"] = true;
  });
  if (root === undefined) return undefined;
  const compiler = new Compiler(root, { vendor, isCheck });
  // As in a union, a check also accepts an object with other constants.
  return compiler.place(isCheck ? { anyOf: [root] } : root);
}

/** Compiles each part of a JSON Schema once, since parts may be recursive. */
class Compiler {
  readonly #root: JsonSchema;
  /** The name of the library. */
  readonly #vendor: string;
  readonly #isCheck: boolean;
  /** The declaration of objects and arrays where the schema describes none. */
  readonly #undescribed: Place;
  readonly #places = new Map<JsonSchema, Place>();

  constructor(root: JsonSchema, { vendor, isCheck }: {
    readonly vendor: string;
    readonly isCheck: boolean;
  }) {
    this.#root = root;
    this.#vendor = vendor;
    this.#isCheck = isCheck;
    this.#undescribed = isCheck ? OPEN : NOTHING;
  }

  place(form: unknown): Place {
    if (isNever(form)) return NOTHING;
    if (!isObject(form) || isBlank(form)) return OPEN;
    const known = this.#places.get(form);
    if (known !== undefined) return known;
    const constants = constantsOf(form);
    if (constants?.some((value) => Object(value) === value)) return OPEN;
    if (constants !== undefined) return this.#undescribed;
    const kinds = this.#kindsOf(form);
    if (kinds.length === 0) return this.#undescribed;
    const place = new Place();
    this.#places.set(form, place);
    const given = partsOf(form, this.#root);
    const parts = given.all.map((part) => this.place(part));
    const unions = given.unions.map((branches) =>
      new Union(branches.map((branch) => this.#branch(branch)), this.#isCheck)
    );
    const isOwn = parts.length + unions.length === 0 || namesMembers(form) ||
      "items" in form;
    // A part may declare no members, such as a part that only requires them.
    const others = [...parts, ...unions].filter((part) =>
      !isOwn || !(part instanceof Union ? part.isOpen : part === OPEN)
    );
    if (others.length > 0) place.parts = others;
    if (isOwn) {
      const own = others.length > 0 ? new Place() : place;
      this.#fill(own, form, kinds);
      if (own !== place) place.parts = [own, ...others];
    }
    return place;
  }

  /** Fills in the keywords of objects and arrays. */
  #fill(place: Place, form: JsonSchema, kinds: readonly Kind[]): void {
    const { prefixItems, items, type } = form;
    if (kinds.includes("object")) {
      for (const [name, each] of namedBy(form)) {
        if (!isNever(each)) place.names.set(name, this.place(each));
      }
      place.others = this.#othersOf(form);
      place.isOther = this.#namesOf(form);
    } else place.others = this.#undescribed.others;
    const isArray = kinds.includes("array") &&
      (type !== undefined || !namesMembers(form));
    // `v.tuple()` of Valibot drops further items.
    const isTuple = Array.isArray(prefixItems);
    // The keyword `object` of ArkType includes arrays.
    const isOpen = place.others === OPEN && !namesMembers(form);
    const other = isOpen ? OPEN : this.#undescribed;
    place.items = isArray ? this.place(items ?? !isTuple) : other;
    if (isArray && isTuple) {
      place.first = prefixItems.map((each) => this.place(each));
    }
  }

  /** The declaration of the members that a schema does not name. */
  #othersOf(
    { properties, patternProperties, additionalProperties }: JsonSchema,
  ): Place | undefined {
    const forms = Object.values(patternProperties ?? {});
    if (additionalProperties && !isNever(additionalProperties)) {
      forms.push(additionalProperties);
    }
    if (forms.length > 1) return this.place({ anyOf: forms });
    if (forms.length === 1) return this.place(forms[0]);
    const isOpen = properties === undefined && additionalProperties !== false;
    return isOpen ? OPEN : undefined;
  }

  /** The names that the declaration of other members covers. */
  #namesOf(form: JsonSchema): Place["isOther"] {
    const { patternProperties, additionalProperties, propertyNames } = form;
    if (isObject(propertyNames) && describesString(propertyNames)) {
      return (name) => fitsForm(propertyNames, name, this.#root);
    }
    // `z.looseRecord()` keeps the members whose names match no pattern.
    const isLoose = this.#vendor !== "arktype" || Boolean(additionalProperties);
    if (patternProperties === undefined || isLoose) return undefined;
    const forms = Object.keys(patternProperties as JsonSchema)
      .map((pattern) => ({ pattern }));
    return (name) => forms.some((each) => fitsForm(each, name, this.#root));
  }

  #branch(form: unknown): Branch {
    let target = form;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      if (!isObject(target) || !("$ref" in target)) break;
      target = targetOf(target.$ref, this.#root);
    }
    const { properties, required } = Object(target);
    const tags: Branch["tags"] = Object.entries(Object(properties))
      .flatMap(([name, each]) => {
        const constants = constantsOf(Object(each));
        return constants ? [{ name, constants: new Set(constants) }] : [];
      });
    const needed = Array.isArray(required) ? required : [];
    return {
      place: this.place(form),
      kinds: this.#kindsOf(form),
      tags,
      // A schema such as `z.any()` may accept a missing member.
      required: needed.filter((name) =>
        this.place(Object(properties)[name]) !== OPEN
      ),
      fits: (json) => fitsForm(target, json, this.#root),
    };
  }

  #kindsOf(form: unknown): Kind[] {
    return KINDS.filter((kind) => this.#accepts(form, kind));
  }

  /** Whether an object or an array may fit a JSON Schema. */
  #accepts(form: unknown, kind: Kind, depth = 0): boolean {
    if (isNever(form)) return false;
    if (!isObject(form)) return true;
    const { type } = form;
    if (type !== undefined && ![type].flat().includes(kind)) return false;
    const constants = constantsOf(form);
    if (constants !== undefined) {
      return constants.some((value) =>
        kind === "array" ? Array.isArray(value) : isObject(value)
      );
    }
    return depth > MAX_DEPTH ||
      fitsParts(
        form,
        this.#root,
        (part) => this.#accepts(part, kind, depth + 1),
      );
  }
}

function namesMembers(form: JsonSchema): boolean {
  return "properties" in form || "patternProperties" in form ||
    "additionalProperties" in form;
}

/** Whether a JSON Schema is that of `z.never()`. */
function isNever(form: unknown): boolean {
  return form === false || isObject(Object(form).not) &&
      Object.keys(Object(form).not).length === 0;
}
