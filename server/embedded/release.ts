import { once } from "node:events";

/** The argument of a supervised process that waits until its supervisor releases it. */
export const untilReleased = "--until-released";

/**
 * Waits for the first message of the supervisor. `npm start` sends it once the database has been
 * migrated; web and worker load their code meanwhile.
 */
export async function untilDatabaseIsPrepared(): Promise<void> {
  if (process.argv.includes(untilReleased)) await once(process, "message");
}
