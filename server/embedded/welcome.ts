import { env } from "@/lib/platform/env";
import type { Demo } from "@/prisma/seed";
import { dataDirectory, inDataDirectory } from "./data-directory";

/** What `npm start` prints once everything runs, with the demo's keys and sign-in. */
export function welcomeWithDemo(url: string, demo: Demo, mailPage: string | null): string {
  return `
  Parlance is running.

    Address     ${url}
    Sign in     ${url}/login
                ${demo.email}   ${demo.password}
    Test key    ${demo.keys.test}
    Live key    ${demo.keys.live}${mailPage ? `\n    Mails       ${mailPage}` : ""}

  Create your first conversation:

    curl ${url}/v1/public/conversations \\
      -H "Authorization: Bearer ${demo.keys.test}" \\
      -H "Content-Type: application/json" \\
      -d '{"channelId": "web", "message": "Hello"}'

  These values are also in ${inDataDirectory("demo.json")}
  Logs: ${inDataDirectory("logs")} (warnings and errors appear here, too). Ctrl-C stops everything; the data stays in ${dataDirectory}.

`;
}

/** The same without a demo. */
export function welcomeWithoutDemo(
  url: string,
  { isDemoWanted, hasOwner }: { isDemoWanted: boolean; hasOwner: boolean },
): string {
  const { APP_URL } = env();
  const noDemo = isDemoWanted
    ? "\n  Other organizations use this database, or another machine made its demo, so no demo data was added.\n"
    : "";
  const firstOwner = `
  There is no owner yet. Create the first one, with the same environment variables:

    npm run admin -- owner:create --email you@example.com --organization "Your company"
`;
  return `
  Parlance is running.

    Address     ${APP_URL}${APP_URL === url ? "" : `, here ${url}`}
${noDemo}${hasOwner ? "" : firstOwner}
  Logs: ${inDataDirectory("logs")} (warnings and errors appear here, too). Ctrl-C stops everything.

`;
}
