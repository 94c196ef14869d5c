import { RequestState } from "@bough/framework";
import { UploadFolder } from "@bough/framework/uploads";
import { DatabaseSync } from "node:sqlite";
import { VersionJob } from "./version_job.ts";

/** The services of each request. */
export const current = new RequestState<Services>("services");

export interface ServiceOptions {
  readonly database: string;
  readonly uploads: string;
  readonly secret: string;
  readonly mailServer: string;
}

/** The database, the uploads and the job that the routes share. */
export class Services implements AsyncDisposable {
  readonly db: DatabaseSync;
  readonly job: VersionJob = new VersionJob();

  private constructor(
    readonly options: ServiceOptions,
    readonly uploads: UploadFolder,
  ) {
    this.db = new DatabaseSync(options.database);
    const folder = new URL("./migrations/", import.meta.url);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    const { user_version } = this.db.prepare("PRAGMA user_version").get()!;
    for (const name of names.slice(Number(user_version))) {
      this.db.exec(Deno.readTextFileSync(new URL(name, folder)));
    }
    this.db.exec(`PRAGMA user_version = ${names.length}`);
  }

  static async open(options: ServiceOptions): Promise<Services> {
    return new Services(options, await UploadFolder.open(options.uploads));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.job[Symbol.asyncDispose]();
    this.db.close();
  }
}
