import { assert } from "@std/assert";

/**
 * Sends the request of a `curl` command of a page, and returns the lines that `curl`
 * would print. Knows only the arguments that the pages use.
 *
 * @param command The command: `curl -i http://localhost:8000/api`.
 * @param port The port to use instead of 8000.
 */
export async function curl(command: string, port: number): Promise<string[]> {
  const args = command.match(/'[^']*'|\S+/g)!.slice(1)
    .map((arg) => arg.replaceAll(/^'|'$/g, ""));
  const headers = new Headers();
  const data: string[] = [];
  let form: FormData | undefined;
  let method, url, showsHead = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (arg === "-i") showsHead = true;
    else if (arg === "-X") method = args[++index]!;
    else if (arg === "-d") data.push(args[++index]!);
    else if (arg === "-F") addField(form ??= new FormData(), args[++index]!);
    else if (arg === "-H") {
      const [name, value] = args[++index]!.split(": ");
      headers.set(name!, value!);
    } else {
      assert(arg.startsWith("http://localhost:8000/"), arg);
      url = arg.replace("localhost:8000", `127.0.0.1:${port}`);
    }
  }
  if (data.length > 0 && !headers.has("content-type")) {
    headers.set("content-type", "application/x-www-form-urlencoded");
  }
  const body = form ?? (data.length > 0 ? bodyOf(data) : null);
  const response = await fetch(url!, {
    method: method ?? (body === null ? "GET" : "POST"),
    headers,
    body,
    redirect: "manual",
  });
  const head = [
    `HTTP/1.1 ${response.status} ${response.statusText}`,
    ...[...response.headers].map((header) => header.join(": ")),
  ];
  const text = (await response.text()).trimEnd();
  return [...(showsHead ? head : []), text, ...text.split("\n")];
}

function bodyOf(data: readonly string[]): string {
  return data.join("&").replace("…3,000 bytes or more…", "x".repeat(3000));
}

/** Files of a form hold five bytes. */
function addField(form: FormData, field: string): void {
  const [name, value] = field.split("=") as [string, string];
  if (!value.startsWith("@")) return form.append(name, value);
  form.append(name, new File(["x".repeat(5)], value.slice(1)));
}
