/**
 * What the shop's staff shows. This one is known to all who read it: a shop in
 * earnest takes it from its environment, `Deno.env.get("ADMIN_TOKEN")`, and runs
 * with `--allow-env=ADMIN_TOKEN`.
 */
export const ADMIN_TOKEN = "only-an-example";
