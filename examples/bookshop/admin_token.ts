/**
 * The token of the staff. A real shop reads a secret token from the environment,
 * `Deno.env.get("ADMIN_TOKEN")`, and runs with `--allow-env=ADMIN_TOKEN`.
 */
export const ADMIN_TOKEN = "only-an-example";
