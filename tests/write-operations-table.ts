import { writeFileSync } from "node:fs";
import { operationsTable, operationsTableFile } from "./support/operations-table";

// `npm run docs:operations`. The document needs no database, but its environment is read whole.
process.env.DATABASE_URL ??= "postgresql://localhost/none";
process.env.SECRET_KEYS ??= `k1:${Buffer.alloc(32).toString("base64")}`;

writeFileSync(operationsTableFile, operationsTable());
