/** The time of `performance.now()`, which passes only when a test says so. */
export class FakeClock implements Disposable {
  #now = performance.now();

  /** Stops the clock until it is disposed. */
  constructor() {
    performance.now = () => this.#now;
  }

  /** Lets a time pass, in milliseconds. */
  tick(ms: number): void {
    this.#now += ms;
  }

  [Symbol.dispose](): void {
    Reflect.deleteProperty(performance, "now");
  }
}
