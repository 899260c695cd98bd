import { hkdfSync } from "node:crypto";
import { env } from "@/lib/platform/env";

/**
 * The key that Next encrypts arguments of server actions with, derived from a secret that all web
 * processes share. In development there may be no secret; then Next uses a key of its own.
 */
export function serverActionsKey(): string {
  const { NEXTAUTH_SECRET } = env();
  return NEXTAUTH_SECRET
    ? Buffer.from(hkdfSync("sha256", NEXTAUTH_SECRET, "", "server actions", 32)).toString("base64")
    : "";
}
