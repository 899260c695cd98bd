import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { clientAddress } from "@/lib/platform/client-address";
import { db } from "@/lib/platform/db";
import { pathHeader } from "@/lib/platform/page-headers";
import {
  type Device,
  findLiveSession,
  recordSessionActivity,
  type SignedInUser,
} from "@/lib/sessions/service";
import { readKnownDevice, readSessionId } from "./session-cookie";

/** The signed-in user, read from the database once per request; null if no one is signed in. */
export const currentUser = cache(async (): Promise<SignedInUser | null> => {
  const sessionId = await readSessionId();
  const user = sessionId ? await findLiveSession(sessionId) : null;
  if (user) recordSessionActivity(db(), user);
  return user;
});

/**
 * Every page, action and route of the dashboard calls this, directly or through `dashboardPlace`.
 * Without a session, redirects to the sign-in page, which then redirects back.
 */
export async function requireUser(): Promise<SignedInUser> {
  const user = await currentUser();
  if (user) return user;
  const path = (await headers()).get(pathHeader);
  redirect(path ? `/login?callbackUrl=${encodeURIComponent(path)}` : "/login");
}

/** The address of the browser that sent this request. */
export const currentAddress = async (): Promise<string | null> =>
  clientAddress((await headers()).get("x-forwarded-for"));

/** The browser that sent this request. */
export async function currentDevice(): Promise<Device> {
  const sent = await headers();
  return {
    address: await currentAddress(),
    userAgent: sent.get("user-agent"),
    known: await readKnownDevice(),
  };
}
