/// <reference lib="dom" />
/** The script of a page that logs in, writes an article and reads it. */
import { createClient } from "@bough/framework/client";
import type { Routes } from "../api.types.ts";
import type { errors } from "../errors.ts";

const baseUrl = new URLSearchParams(location.search).get("api") ??
  "http://localhost:8000/api";
let api = createClient<Routes, typeof errors>({ baseUrl });

onSubmit("#login", async ({ email = "", password = "" }) => {
  const user = { email, password };
  const result = await api.POST("/users/login", { body: { user } });
  if (result.status === 200) {
    const { token, username } = result.data.user;
    api = createClient({
      baseUrl,
      headers: { authorization: `Token ${token}` },
    });
    show("[role=status]", `Welcome, ${username}`);
  } else if (result.status === 401 || result.status === 422) {
    show("[role=status]", result.data.errors.body.join("\n"));
  }
});

onSubmit("#write", async ({ title = "", body = "" }) => {
  const article = { title, description: title, body };
  const result = await api.POST("/articles", { body: { article } });
  if (result.status === 401 || result.status === 422) {
    show("[role=status]", result.data.errors.body.join("\n"));
  }
  if (result.status !== 201) return;
  const { slug } = result.data.article;
  const found = await api.GET("/articles/[slug]", { params: { slug } });
  if (found.status !== 200) return;
  show("[role=status]", `Published by ${found.data.article.author.username}`);
  show("article", found.data.article.body);
});

function onSubmit(
  form: string,
  send: (values: Record<string, string>) => Promise<void>,
): void {
  document.querySelector(form)!.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = new FormData(event.target as HTMLFormElement);
    send(Object.fromEntries(values) as Record<string, string>);
  });
}

function show(selector: string, text: string): void {
  document.querySelector(selector)!.textContent = text;
}
