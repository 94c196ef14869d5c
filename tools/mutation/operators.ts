import { parse } from "npm:@babel/parser@^8.0.0";

/** One fault that can be planted in a text. */
export interface Fault {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/**
 * Finds places for faults that Stryker does not plant: a dropped assignment,
 * another number, a forgotten `await`, the other branch of `?:`, `x` instead of
 * `f(x)`, and `undefined` instead of the returned value.
 */
export function findFaults(text: string): Fault[] {
  const faults: Fault[] = [];
  const textOf = (value: unknown): string => {
    const { start, end } = value as Node;
    return text.slice(start, end);
  };
  const add = (kind: string, { start, end }: Node, replacement: string) => {
    faults.push({ kind, start, end, replacement });
  };

  // Of the result of a comparison for `sort()`, only the sign matters.
  const signs = new Set<Node | undefined>();

  const visit = (node: Node, above: readonly Node[]): void => {
    switch (node.type) {
      case "ExpressionStatement":
        if (isDroppable(node.expression as Node)) {
          add("dropped statement", node, ";");
        }
        break;
      case "NumericLiteral":
        if (signs.has(node)) break;
        add("number", node, String(Number(node.value) + 1));
        break;
      case "AwaitExpression":
        if (isReturnedAnyway(above)) break;
        add("dropped await", node, textOf(node.argument));
        break;
      case "ConditionalExpression": {
        const { test, consequent, alternate } = node;
        for (const branch of [consequent, alternate]) {
          signs.add(signOf(branch as Node));
        }
        add(
          "other branch",
          node,
          `${textOf(test)} ? ${textOf(alternate)} : ${textOf(consequent)}`,
        );
        break;
      }
      case "CallExpression": {
        const [argument, ...others] = node.arguments as Node[];
        if (argument === undefined || others.length > 0) break;
        if (argument.type === "SpreadElement") break;
        add("argument for call", node, `(${textOf(argument)})`);
        break;
      }
      case "ReturnStatement":
        if (node.argument !== null) {
          add("dropped value", node, "return undefined;");
        }
    }
  };
  walk(parseText(text), visit);
  return faults;
}

/**
 * Parses TypeScript.
 *
 * @throws {SyntaxError} If it is not valid TypeScript.
 */
export function parseText(text: string): Node {
  const file = parse(text, { sourceType: "module", plugins: ["typescript"] });
  return file as unknown as Node;
}

/** The literal in `1` and `-1`. */
function signOf(node: Node): Node | undefined {
  const literal = node.type === "UnaryExpression" && node.operator === "-"
    ? node.argument as Node
    : node;
  return literal.type === "NumericLiteral" && literal.value === 1
    ? literal
    : undefined;
}

function isDroppable({ type, argument }: Node): boolean {
  return type === "AssignmentExpression" ||
    type === "AwaitExpression" &&
      (argument as Node).type === "CallExpression";
}

/** Whether to wait makes no difference, as in `return await run()` outside `try`. */
function isReturnedAnyway(above: readonly Node[]): boolean {
  if (above.at(-1)?.type === "ArrowFunctionExpression") return true;
  if (above.at(-1)?.type !== "ReturnStatement") return false;
  const caller = above.findLastIndex(({ type }) =>
    /Function|Method/.test(type)
  );
  return !above.slice(caller).some((node, index, inner) =>
    node.type === "TryStatement" &&
    (node.finalizer || node.block === inner[index + 1])
  );
}

/** Visits a node and those below it that exist at run time, with those above. */
function walk(
  node: Node,
  visit: (node: Node, above: readonly Node[]) => void,
  above: readonly Node[] = [],
): void {
  const isType = node.type.startsWith("TS");
  if (node.type === "ImportDeclaration") return;
  if (!isType) visit(node, above);
  for (const [key, value] of Object.entries(node)) {
    // Of `x as Y`, `x!` and `x satisfies Y`, only `x` is code.
    if (isType && key !== "expression") continue;
    for (const inner of Array.isArray(value) ? value : [value]) {
      if (typeof inner?.type === "string" && typeof inner.start === "number") {
        walk(inner, visit, [...above, node]);
      }
    }
  }
}
