/**
 * Words of users, and the page of the site that has the answer. The words were chosen
 * before the search was tried.
 */
export const WORDS: Readonly<Record<string, string>> = {
  "404": "guide/errors",
  "cache": "guide/recipes",
  "cookie": "guide/handlers",
  "cors": "guide/recipes",
  "deadline": "guide/options",
  "deploy": "guide/deployment",
  "docker": "guide/deployment",
  "env": "guide/permissions",
  "jwt": "guide/roles",
  "logging": "log",
  "mock": "guide/testing",
  "openapi": "openapi",
  "postgres": "guide/databases",
  "rate limit": "guide/protection",
  "redirect": "guide/handlers",
  "sse": "live",
  "timeout": "guide/options",
  "transaction": "guide/databases",
  "upload": "uploads",
  "websocket": "live",
};
