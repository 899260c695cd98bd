import path from "node:path";
import { startIdentityProvider } from "../support/identity-provider";
import { startInstallation } from "../support/installation";

/** Starts the product once for all browser tests, and stops it after them. Environment variables name it. */
export default async function startProduct(): Promise<() => Promise<void>> {
  const provider = await startIdentityProvider();
  // Lets each user have their own IP address, because the number of accounts created from one address
  // is limited.
  const environment = {
    TRUSTED_PROXY_HOPS: "1",
    // Behind a proxy, these are closed by default.
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8,::1/128",
    MAIL_PAGE: "true",
    // Even on a slow machine, a failed delivery is not retried before the test resends it.
    WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 7 }, () => "7200").join(),
    ...provider.environment,
  };
  const { url, databaseUrl, mailPage, directory, stop } = await startInstallation({ environment });
  Object.assign(process.env, {
    PRODUCT_URL: url,
    PRODUCT_DATABASE_URL: databaseUrl,
    PRODUCT_LOG: path.join(directory, "logs", "web.log"),
    PRODUCT_MAIL_PAGE: mailPage ?? "",
    PROVIDER_URL: provider.url,
  });
  return async () => {
    await stop();
    await provider.close();
  };
}
