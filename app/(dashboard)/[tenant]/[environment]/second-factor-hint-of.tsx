import { cookies } from "next/headers";
import { secondFactorLaterCookie } from "@/components/overview/second-factor-cookie";
import { SecondFactorHint } from "@/components/overview/second-factor-hint";
import { requireUser } from "@/lib/auth/require-user";

/** Nothing for users who have a second factor, or who do not want to see the hint for now. */
export async function SecondFactorHintOf({ base }: { base: string }) {
  const [user, stored] = await Promise.all([requireUser(), cookies()]);
  return user.hasSecondFactor || stored.has(secondFactorLaterCookie) ? null : (
    <SecondFactorHint href={`${base}/settings/profile#second-factor`} />
  );
}
