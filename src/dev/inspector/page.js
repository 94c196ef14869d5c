/**
 * Polls the requests, and shows what the hash names, such as `#/requests/1a2b-7`. Browsers
 * run this file without a build step.
 */
import { editor, h, patch } from "./page_dom.js";
import { requestDetail, requestRow, whyNot } from "./page_requests.js";
import * as routePage from "./page_routes.js";

/** Milliseconds between two polls. */
const INTERVAL = 500;

/** The requests to keep, including those from before restarts. */
const KEPT = 400;

const find = (id) => document.getElementById(id);

/** The requests by key, newest first. */
let entries = new Map();
let start;
let version = 0;
/** The number of starts that this page has seen. */
let generation = 0;
let routes = [];
let findings = [];
/** Details that the list lacks, by key: why no route matched, or lines of source. */
const extras = new Map();

async function call(path, body) {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(new URL(`api/${path}`, import.meta.url), init)
    .catch(() => {
      throw new Error("the program does not respond; see its terminal");
    });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? answer.title);
  return answer;
}

/** Gets the requests that changed after the last poll. */
async function poll() {
  const answer = await call(`requests?after=${version}`);
  if (answer.start !== start) {
    await begin(answer.start);
    return poll();
  }
  version = answer.version;
  if (answer.requests.length === 0) return;
  for (const entry of answer.requests) {
    const key = keyOf(entry.id);
    entries.set(key, { ...entry, key, generation });
  }
  const newest = [...entries.values()]
    .sort((a, b) => b.generation - a.generation || b.id - a.id);
  entries = new Map(newest.slice(0, KEPT).map((entry) => [entry.key, entry]));
  render();
}

function keyOf(id) {
  return `${encodeURIComponent(start)}-${id}`;
}

/** Loads the routes of a new start of the program, and keeps the earlier requests. */
async function begin(newStart) {
  const [listed, checked] = await Promise.all([
    call("routes"),
    call("findings"),
  ]);
  for (const entry of entries.values()) {
    Object.assign(entry, { isOld: true, state: "done" });
  }
  ({ routes } = listed);
  ({ findings } = checked);
  editor.link = listed.editor;
  const local = routes.find(({ absolute, file }) => absolute?.endsWith(file));
  editor.folder = local?.absolute.slice(0, -local.file.length) ?? "";
  start = newStart;
  version = 0;
  generation++;
  render();
}

/** The view and the key in the hash. */
function place() {
  const [, view, key = ""] = location.hash.split("/");
  return { view: view === "routes" ? view : "requests", key };
}

function render() {
  const { view, key } = place();
  for (const link of document.querySelectorAll("nav a")) {
    const isShown = link.hash === `#/${view}`;
    link.ariaCurrent = isShown ? "page" : null;
    find(link.hash.slice(2)).hidden = !isShown;
  }
  find("count").textContent = entries.size || "";
  find("found").textContent = findings.length ? `${findings.length} ⚠` : "";
  patch(
    find("shown"),
    view === "requests" ? renderRequests(key) : renderRoutes(key),
  );
}

function renderRequests(key) {
  const listed = [...entries.values()].filter(matcher());
  patch(
    find("rows"),
    listed.map((entry) => requestRow(entry, entry.key === key)),
  );
  patch(
    find("empty"),
    entries.size === 0
      ? "No requests yet. Each request to the application appears here."
      : listed.length === 0 && "No request matches the filter.",
  );
  const entry = entries.get(key);
  if (entry === undefined) {
    return h("p.hint", key ? "This request was dropped." : "Select a request.");
  }
  loadExtra(entry).catch(({ message }) => note(message));
  return requestDetail(entry, extras.get(key));
}

/** A filter by the words above the list, which a request has in any order. */
function matcher() {
  const words = values(find("filters")).words.toLowerCase().split(/\s+/);
  return (entry) => {
    const status = `${entry.status}`;
    entry.texts ??= [status, `${status[0]}xx`, textsIn(entry)].join("\n")
      .toLowerCase();
    return words.every((word) => entry.texts.includes(word));
  };
}

function values(form) {
  return Object.fromEntries(new FormData(form));
}

/** All strings in a value, for the filter. */
function textsIn(value) {
  return typeof value === "string"
    ? value
    : Object.values(Object(value)).map(textsIn).join("\n");
}

/** Loads the details of a request, once, from the program that received it. */
async function loadExtra(entry) {
  const { key, id, method, url, route, status, error, isOld } = entry;
  const isMiss = route === undefined && status !== undefined;
  if (isOld || extras.has(key) || !isMiss && error === undefined) return;
  extras.set(key, { isLoading: true });
  let extra = {};
  try {
    extra = isMiss
      ? { explanation: await explain(method, url) }
      : await call(`requests/${id}`);
  } finally {
    extras.set(key, extra);
    render();
  }
}

function explain(method, url) {
  const [path] = url.split("?");
  return call(`explain?${new URLSearchParams({ method, path })}`);
}

function renderRoutes(key) {
  // The hash of a link is encoded; a hash that a user types may be malformed.
  const route = routes.find(({ path }) => encodeURIComponent(path) === key);
  const selected = route?.path;
  const tree = routes.length > 0 && routePage.routeTree(routes, selected);
  patch(find("tree"), tree);
  if (route !== undefined) return routePage.routeDetail(route, findings);
  if (key !== "") return h("p.hint", "This route no longer exists.");
  return [
    h("h2", "Findings of bough check"),
    findings.length > 0
      ? routePage.findingList(findings)
      : h("p.hint", "Nothing found."),
  ];
}

/** Sends a request again, and shows the new entry. */
async function sendAgain(entry) {
  const secrets = await askFor(secretsOf(entry));
  if (secrets === undefined) return;
  const { id, isOld, method, url, request: { headers, body } } = entry;
  // After a restart, the program does not know the earlier requests.
  const sent = isOld ? { method, url, headers, body: body?.text } : { id };
  const answer = await call("send", { ...sent, secrets });
  await poll();
  location.hash = `#/requests/${keyOf(answer.id)}`;
}

/** The names of the secrets in the request itself, with the text around each. */
function secretsOf({ url, secrets, request: { headers, body } }) {
  const lines = [url, ...headers.map((header) => header.join(": "))];
  const sent = [...lines, body?.text].join("\n");
  return secrets.flatMap((name) => {
    const at = sent.indexOf(`«${name}»`);
    const start = Math.max(sent.lastIndexOf("\n", at) + 1, at - 40);
    return at === -1 ? [] : [[name, sent.slice(start, at + name.length + 2)]];
  });
}

/** Asks for the values of secrets. `undefined` if the user cancels. */
function askFor(secrets) {
  if (secrets.length === 0) return {};
  const dialog = find("secrets");
  const fields = find("fields");
  const hidden = { type: "password", autocomplete: "off", required: true };
  const label = ([name, context]) =>
    h("label", name, h("code.quiet", context), h("input", { ...hidden, name }));
  patch(fields, secrets.map(label));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => {
      // The event of an earlier dialog may arrive late.
      if (dialog.open) return;
      const given = values(fields.closest("form"));
      fields.replaceChildren();
      resolve(dialog.returnValue === "send" ? given : undefined);
    };
  });
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  note("Copied.", "good");
}

function note(text, kind = "warn") {
  find("note").textContent = text;
  find("note").className = kind;
}

const ACTIONS = {
  send: sendAgain,
  curl: ({ copies }) => copy(copies.curl),
  test: ({ copies }) => copy(copies.test),
  cancel: () => find("secrets").close(""),
};

addEventListener("click", async ({ target }) => {
  const name = target.closest("[data-action]")?.dataset.action;
  if (name === undefined) return;
  note("");
  try {
    await ACTIONS[name](entries.get(place().key));
  } catch (error) {
    note(error.message);
  }
});

find("filters").addEventListener("input", render);

addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target } = event;
  if (target.id === "filters") return;
  if (target.id !== "explain") return find("secrets").close("send");
  const { method, path } = values(target);
  try {
    // Allows `api/books`, and a whole URL.
    const url = path.startsWith("/") ? path : new URL(path, origin).pathname;
    const { status, route, reason, otherCandidates, ...members } =
      await explain(method.toUpperCase(), url);
    patch(
      find("outcome"),
      h(
        "div.bar",
        h("p", `${status} `, route && routePage.routeLink(route)),
        routePage.memberTable(members),
        whyNot({ reason, otherCandidates }),
      ),
    );
  } catch (error) {
    patch(find("outcome"), h("p.bar.error", error.message));
  }
});

addEventListener("hashchange", ({ oldURL }) => {
  note("");
  render();
  const { view, key } = place();
  find("detail").scrollTop = 0;
  const { hash } = new URL(oldURL);
  const left = find(view).querySelector(`[href="${CSS.escape(hash)}"]`);
  // The keyboard continues with what is shown, and later with the next link of the list.
  (key === "" ? left : find("shown").querySelector("h2"))?.focus();
});

addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape" || target.closest("dialog, input") !== null) return;
  location.hash = `#/${place().view}`;
});

async function watch() {
  const connection = find("connection");
  while (true) {
    // Polls even behind the editor: a restart drops the requests that the page lacks.
    const error = await poll().catch((error) => error);
    patch(connection, error ? `Not connected: ${error.message}` : "Live");
    connection.classList.toggle("error", error !== undefined);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

render();
watch();
