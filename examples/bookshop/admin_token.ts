/**
 * The token of the shop's staff. Everyone can read this one: a real shop takes it
 * from the environment, `Deno.env.get("ADMIN_TOKEN")`, and runs with
 * `--allow-env=ADMIN_TOKEN`.
 */
export const ADMIN_TOKEN = "only-an-example";
