/** An event of the servers. */
export interface Order {
  /** The id of the event. */
  readonly id: number;
  /** Its data. */
  readonly data: { readonly title: string; readonly total: number };
}

/** The events of a query, such as `?count=1000`. */
export async function* orders(url: string): AsyncGenerator<Order> {
  const count = Number(new URL(url).searchParams.get("count"));
  for (let id = 1; id <= count; id++) {
    yield { id, data: { title: "Emma", total: id % 100 } };
  }
}
