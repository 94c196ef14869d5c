/** Reads the version of Git soon after the start, and then each hour. */
export class VersionJob implements AsyncDisposable {
  #timer = setTimeout(() => this.#run(), 0);
  readonly #first = Promise.withResolvers<string>();

  get version(): Promise<string> {
    return this.#first.promise;
  }

  async #run(): Promise<void> {
    this.#timer = setTimeout(() => this.#run(), 60 * 60 * 1000);
    const git = new Deno.Command("git", { args: ["--version"] });
    this.#first.resolve(new TextDecoder().decode((await git.output()).stdout));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.version;
    clearTimeout(this.#timer);
  }
}
