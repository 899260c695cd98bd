import { startInstallation } from "../support/installation";

/** One product for all browser tests, stopped after them. They find it in the environment. */
export default async function startProduct(): Promise<() => Promise<void>> {
  const { url, email, password, tenant, keys, databaseUrl, stop } = await startInstallation();
  const demo = JSON.stringify({ url, email, password, tenant, keys, databaseUrl });
  Object.assign(process.env, { PRODUCT_URL: url, PRODUCT_DATABASE_URL: databaseUrl, PRODUCT_DEMO: demo });
  return stop;
}
