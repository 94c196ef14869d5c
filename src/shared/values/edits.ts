import { isObject } from "../../core/common/values.ts";
import { MAX_LENGTH } from "./strings.ts";

/** Changes a value at one place; returns the value itself if the place is missing. */
export type Edit = (value: unknown) => unknown;

/** Edits that replace the whole value. */
export function setting(values: readonly unknown[]): Edit[] {
  return values.map((value) => () => value);
}

/** Changes to values that most schemas reject. */
export const WRONG: readonly Edit[] = setting([
  ...[null, "x", "", -1, 1.5, "99999999999999999999", true, [], {}],
  // Longer than all generated strings.
  "x".repeat(MAX_LENGTH + 1_000),
]);

/** The first items of all lists, then the second items, and so on. */
export function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const length = Math.max(0, ...lists.map(({ length }) => length));
  return Array(length).keys()
    .flatMap((row) => lists.flatMap((list) => list.slice(row, row + 1)))
    .toArray();
}

/** Changes an item of a list. */
export function inItem(index: number, edit: Edit): Edit {
  return (list) => {
    // A query carries a list of one item as a string.
    if (!Array.isArray(list)) return edit(list);
    if (index >= list.length) return list;
    const edited = edit(list[index]);
    return edited === list[index] ? list : list.with(index, edited);
  };
}

/** Changes, adds or removes a member of an object. */
export function inMember(name: string, edit: Edit): Edit {
  return (object) => {
    if (!isObject(object)) return object;
    const member = Object.hasOwn(object, name) ? object[name] : undefined;
    const edited = edit(member);
    if (edited === member) return object;
    const { [name]: _, ...rest } = object;
    return edited === undefined ? rest : { ...object, [name]: edited };
  };
}
