/**
 * The page at `/board`, which shows orders as they arrive. The program imports the files
 * of the page, so serving them requires no permission.
 */
import type { Plugin } from "@bough/framework";
import style from "./board.css" with { type: "text" };
import page from "./board.html" with { type: "text" };
import script from "./board.js" with { type: "text" };
import readEvents from "./read_events.js" with { type: "text" };

const HEADERS = {
  "cache-control": "no-cache",
  // Only its own files and its own API, without inline code.
  "content-security-policy": [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "x-content-type-options": "nosniff",
};

/** Serves the page and its files. */
export function board(): Plugin {
  const file = (path: string, type: string, text: string) => ({
    path,
    handlers: {
      GET: () =>
        new Response(text, { headers: { ...HEADERS, "content-type": type } }),
    },
  });
  return {
    name: "board",
    routes: () => [
      file("/board", "text/html; charset=utf-8", page),
      file("/board/board.css", "text/css; charset=utf-8", style),
      file("/board/board.js", "text/javascript; charset=utf-8", script),
      file(
        "/board/read_events.js",
        "text/javascript; charset=utf-8",
        readEvents,
      ),
    ],
  };
}
