import pg from "pg";

/** Runs one statement on the product's database, for what no page can do, such as letting time pass. */
export async function queryDatabase<Row extends pg.QueryResultRow>(
  statement: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: process.env.PRODUCT_DATABASE_URL });
  await client.connect();
  return client
    .query<Row>(statement, values)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
