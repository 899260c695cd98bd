import { env } from "@/lib/platform/env";

/** Seals the session and known-device cookies. */
export function authSecret(): string {
  const value = env().NEXTAUTH_SECRET;
  if (!value) throw new Error("NEXTAUTH_SECRET is not set: give at least 32 random characters");
  return value;
}
