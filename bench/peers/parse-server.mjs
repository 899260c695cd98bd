// @ts-nocheck: its packages are installed only for `npm run bench -- --peers`.
// Parse Server with its defaults. The benchmark fills its table and registers a webhook.
import { tmpdir } from "node:os";

// It creates a folder for its logs in the working directory as soon as it is loaded.
process.chdir(tmpdir());
const { ParseServer } = await import("parse-server");
const { PORT, DATABASE_URL, APPLICATION_ID, MASTER_KEY } = process.env;
await ParseServer.startApp({
  appId: APPLICATION_ID,
  masterKey: MASTER_KEY,
  databaseURI: DATABASE_URL,
  serverURL: `http://127.0.0.1:${PORT}/parse`,
  host: "127.0.0.1",
  port: Number(PORT),
  allowClientClassCreation: true,
  logLevel: "error",
});
