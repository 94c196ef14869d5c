/** Shows why `RoutePattern` creates params with its own constructor. */

const PROTOTYPE: object = Object.freeze(Object.create(null));

function Params(): void {}
Params.prototype = PROTOTYPE;
const Constructor = Params as unknown as new () => Record<string, string>;

const names = ["user", "post"];
const values = ["42", "7"];

function fill(params: Record<string, string>): Record<string, string> {
  for (let index = 0; index < names.length; index++) {
    params[names[index]!] = values[index]!;
  }
  return params;
}

Deno.bench(
  "params by a constructor",
  { group: "params", baseline: true },
  () => {
    fill(new Constructor());
  },
);

Deno.bench("params by Object.create(null)", { group: "params" }, () => {
  fill(Object.create(null));
});

Deno.bench("params by { __proto__: null }", { group: "params" }, () => {
  fill({ __proto__: null } as unknown as Record<string, string>);
});
