/**
 * Imports the pages of the documentation as text, by topic, in the order in which a
 * newcomer needs them. Deno finds the imports in this file, so it caches the pages with
 * the command, and reads them without a permission.
 */
export const PAGES: Readonly<
  Record<string, () => Promise<{ readonly default: string }>>
> = {
  first_hour: () =>
    import("../../guide/first_hour.md", { with: { type: "text" } }),
  routing: () => import("../../guide/routing.md", { with: { type: "text" } }),
  handlers: () => import("../../guide/handlers.md", { with: { type: "text" } }),
  validation: () =>
    import("../../guide/validation.md", { with: { type: "text" } }),
  errors: () => import("../../guide/errors.md", { with: { type: "text" } }),
  middleware: () =>
    import("../../guide/middleware.md", { with: { type: "text" } }),
  authentication: () =>
    import("../../guide/authentication.md", { with: { type: "text" } }),
  protection: () =>
    import("../../guide/protection.md", { with: { type: "text" } }),
  resources: () =>
    import("../../guide/resources.md", { with: { type: "text" } }),
  testing: () => import("../../guide/testing.md", { with: { type: "text" } }),
  deployment: () =>
    import("../../guide/deployment.md", { with: { type: "text" } }),
  permissions: () =>
    import("../../guide/permissions.md", { with: { type: "text" } }),
  how_do_i: () => import("../../guide/how_do_i.md", { with: { type: "text" } }),
  recipes: () => import("../../guide/recipes.md", { with: { type: "text" } }),
  error_messages: () =>
    import("../../guide/error_messages.md", { with: { type: "text" } }),
  glossary: () => import("../../guide/glossary.md", { with: { type: "text" } }),
  skill: () => import("../../guide/SKILL.md", { with: { type: "text" } }),
  files: () => import("../../files/README.md", { with: { type: "text" } }),
  uploads: () => import("../../uploads/README.md", { with: { type: "text" } }),
  live: () => import("../../live/README.md", { with: { type: "text" } }),
  databases: () =>
    import("../../guide/databases.md", { with: { type: "text" } }),
  hono: () => import("../../hono/README.md", { with: { type: "text" } }),
  libraries: () =>
    import("../../guide/libraries.md", { with: { type: "text" } }),
  log: () => import("../../log/README.md", { with: { type: "text" } }),
  scaling: () => import("../../guide/scaling.md", { with: { type: "text" } }),
  openapi: () => import("../../openapi/README.md", { with: { type: "text" } }),
  client: () => import("../../client/README.md", { with: { type: "text" } }),
  mcp: () => import("../../mcp/README.md", { with: { type: "text" } }),
  diff: () => import("../../diff/README.md", { with: { type: "text" } }),
  contract_tests: () =>
    import("../../testing/README.md", { with: { type: "text" } }),
  cli: () => import("../../cli/README.md", { with: { type: "text" } }),
  dev: () => import("../../dev/README.md", { with: { type: "text" } }),
  behaviour: () =>
    import("../../guide/behaviour.md", { with: { type: "text" } }),
  options: () => import("../../guide/options.md", { with: { type: "text" } }),
  speed: () => import("../../guide/speed.md", { with: { type: "text" } }),
  versions: () => import("../../guide/versions.md", { with: { type: "text" } }),
  changelog: () => import("../../../CHANGELOG.md", { with: { type: "text" } }),
};
