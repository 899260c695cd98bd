import { startIdentityProvider } from "../support/identity-provider";
import { startInstallation } from "../support/installation";

/** One product for all browser tests, stopped after them. They find it in the environment. */
export default async function startProduct(): Promise<() => Promise<void>> {
  const provider = await startIdentityProvider();
  // So each person can come from an address of their own: there is a limit to accounts that are
  // made from one.
  const environment = {
    TRUSTED_PROXY_HOPS: "1",
    // Closed by themselves behind a proxy.
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8,::1/128",
    MAIL_PAGE: "true",
    // However slow the machine is, a failed delivery is not sent again before the test does it.
    WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 7 }, () => "7200").join(),
    ...provider.environment,
  };
  const { url, databaseUrl, mailPage, stop } = await startInstallation({ environment });
  Object.assign(process.env, {
    PRODUCT_URL: url,
    PRODUCT_DATABASE_URL: databaseUrl,
    PRODUCT_MAIL_PAGE: mailPage ?? "",
    PROVIDER_URL: provider.url,
  });
  return async () => {
    await stop();
    await provider.close();
  };
}
