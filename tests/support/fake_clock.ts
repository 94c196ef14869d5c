/** The time of `performance.now()`, which passes only when a test says so. */
export class FakeClock implements Disposable {
  #now = performance.now();

  constructor() {
    performance.now = () => this.#now;
  }

  tick(ms: number): void {
    this.#now += ms;
  }

  [Symbol.dispose](): void {
    Reflect.deleteProperty(performance, "now");
  }
}
