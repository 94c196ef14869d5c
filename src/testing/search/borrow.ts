import { type Input, isValid, unwrapBody } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import type { Operation } from "../operation.ts";
import { type Members, pick } from "../properties/members.ts";

/** The maximum number of inputs with members of accepted resources. */
const MAX_BORROWED = 60;

/**
 * Inputs whose bodies have members of accepted resources, since a rule may require them.
 * First come all members of a resource, then each member, such as the `title` of a book.
 * Last comes any member for any name, such as the `id` of a book for a `bookId`.
 */
export async function borrowedInputs(
  operation: Operation,
  samples: readonly Input[],
  resources: readonly Members[],
): Promise<Input[]> {
  const base = samples[0]!;
  const { members, envelope: [envelope] } = unwrapBody(base.body);
  const declared = envelope === undefined
    ? parameterNames(operation, "body")
    : [];
  const names = [...new Set([...Object.keys(members), ...declared])];
  const borrowed = resources.flatMap((each) => Object.entries(each));
  const parts = [
    ...resources.map((each) => pick(each, (name) => names.includes(name))),
    ...borrowed.filter(([name]) => names.includes(name))
      .map(([name, value]) => ({ [name]: value })),
    ...borrowed.flatMap(([, value]) =>
      names.map((name) => ({ [name]: value }))
    ),
  ];
  const tried = new Set(samples.map(({ body }) => JSON.stringify(body)));
  const valid: Input[] = [];
  for (const each of parts.flatMap((part) => [{ ...members, ...part }, part])) {
    const body = envelope === undefined ? each : { [envelope]: each };
    const input = { ...base, body };
    const text = JSON.stringify(body);
    if (tried.has(text) || !await isValid(operation, input)) continue;
    tried.add(text);
    if (valid.push(input) === MAX_BORROWED) break;
  }
  return valid;
}

/** The first input of each body, since most planned inputs change other parts. */
export function distinct(inputs: readonly Input[]): Input[] {
  const groups = Map.groupBy(inputs, ({ body }) => JSON.stringify(body));
  return groups.values().map(([first]) => first!).toArray();
}
