import { readEvents, RefusedError } from "./read_events.js";

/** The next step of an order, by its status. */
const NEXT = { placed: "packed", packed: "sent" };
/** The maximum number of sent orders on the board, which may be open for months. */
const MOST_SENT = 20;

const connection = document.querySelector("#connection");
const problem = document.querySelector("#problem");
const signIn = document.querySelector("#sign-in");
const signOut = document.querySelector("#sign-out");
const earlier = document.querySelector("#earlier");
const board = document.querySelector("main");
const template = document.querySelector("#order").content.firstElementChild;

/** The cards of the orders, by id. */
const cards = new Map();
let watching = new AbortController();

/** The token stays in this tab: it survives a reload, and other pages cannot read it. */
const token = {
  get: () => sessionStorage.getItem("token"),
  set: (value) => sessionStorage.setItem("token", value),
  forget: () => sessionStorage.removeItem("token"),
};

signIn.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = signIn.querySelector("input");
  token.set(input.value);
  input.value = "";
  watch();
});

signOut.addEventListener("click", () => leave());

/** The browser keeps this choice for a year, and sends it with the request for events. */
earlier.checked = document.cookie.split("; ").includes("sent=show");
earlier.addEventListener("change", () => {
  const choice = earlier.checked ? "show" : "hide";
  document.cookie = `sent=${choice}; Path=/; Max-Age=31536000; SameSite=Strict`;
  watching.abort();
  watch();
});

if (token.get() === null) leave();
else watch();

/** Shows the orders while a user is signed in. */
async function watch() {
  watching = new AbortController();
  const { signal } = watching;
  problem.textContent = "";
  signIn.hidden = true;
  signOut.hidden = false;
  showConnection("waiting", "Connecting …");
  try {
    const events = readEvents("/api/orders/events", {
      headers: authorization(),
      signal,
      onConnection(isOpen) {
        // Before the first connection, an empty board would claim that no order waits.
        board.hidden &&= !isOpen;
        if (isOpen) showConnection("open", "Live");
        else showConnection("waiting", "Connection lost, trying again …");
      },
    });
    for await (const { event, data } of events) {
      if (event === "cleared") clear();
      if (event === "order") show(JSON.parse(data));
    }
  } catch (error) {
    // The user has signed out.
    if (!signal.aborted) leave(reasonOf(error));
  }
}

/** Removes the token and the orders, and shows the form to sign in. */
function leave(reason = "") {
  watching.abort();
  token.forget();
  clear();
  board.hidden = true;
  signOut.hidden = true;
  signIn.hidden = false;
  problem.textContent = reason;
  showConnection("closed", "Signed out");
  signIn.querySelector("input").focus();
}

function reasonOf(error) {
  return error instanceof RefusedError && error.status === 401
    ? "This is not the token of the staff."
    : String(error);
}

function showConnection(state, text) {
  connection.dataset.state = state;
  connection.textContent = text;
}

function clear() {
  for (const card of cards.values()) card.remove();
  cards.clear();
  count();
}

/** Shows an order, in the column of its status. */
function show(order) {
  const { id, email, status, items } = order;
  let card = cards.get(id);
  if (card === undefined) cards.set(id, card = template.cloneNode(true));
  const button = card.querySelector("button");
  const hadFocus = document.activeElement === button;

  card.querySelector("h3").textContent = `Order ${id}`;
  card.querySelector(".email").textContent = email;
  card.querySelector(".items").replaceChildren(...items.map((item) => {
    const line = document.createElement("li");
    line.textContent = `${item.count} × ${item.title}`;
    return line;
  }));
  const cents = items.reduce((sum, item) => sum + item.cents, 0);
  card.querySelector(".total").textContent = (cents / 100).toFixed(2);
  const next = NEXT[status];
  button.hidden = next === undefined;
  button.disabled = false;
  button.textContent = `Mark as ${next}`;
  button.onclick = () => setStatus(order, next, button);

  card.dataset.id = id;
  place(card, status);
  if (hadFocus) button.focus();
  count();
}

/** Puts a card into its column, by number. The last sent order comes first. */
function place(card, status) {
  const list = board.querySelector(`[data-status=${status}] ul`);
  if (status !== "sent") {
    const later = [...list.children].find((other) =>
      other !== card && Number(other.dataset.id) > Number(card.dataset.id)
    );
    return list.insertBefore(card, later ?? null);
  }
  list.prepend(card);
  if (list.children.length <= MOST_SENT) return;
  cards.delete(Number(list.lastElementChild.dataset.id));
  list.lastElementChild.remove();
}

/** Changes an order. Every board shows the change when its event arrives. */
async function setStatus({ id }, status, button) {
  button.disabled = true;
  problem.textContent = "";
  try {
    const response = await fetch(`/api/orders/${id}/status`, {
      method: "PUT",
      headers: { ...authorization(), "content-type": "application/json" },
      body: JSON.stringify({ status }),
    });
    if (response.status === 401) return leave("Sign in again.");
    if (!response.ok) throw new Error(`status ${response.status}`);
  } catch (error) {
    problem.textContent = `Order ${id} was not changed: ${error.message}`;
    button.disabled = false;
  }
}

function authorization() {
  return { authorization: `Bearer ${token.get()}` };
}

function count() {
  for (const section of board.children) {
    const { length } = section.querySelector("ul").children;
    section.querySelector(".count").textContent = length;
    section.querySelector(".empty").hidden = length > 0;
  }
  const waiting = board.querySelector("[data-status=placed] ul").children;
  const prefix = waiting.length > 0 ? `(${waiting.length}) ` : "";
  document.title = `${prefix}Orders · Bough Books`;
}
