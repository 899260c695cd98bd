import { cookies } from "next/headers";
import { decode, encode } from "next-auth/jwt";
import { env } from "@/lib/env";
import { sessionLifetimeSeconds } from "@/lib/sessions/service";

/** The name and the attributes that next-auth gives its cookie too, so that either may write it and both read it. */
function sessionCookie() {
  const isSecure = env().NEXTAUTH_URL?.startsWith("https://") ?? false;
  return {
    name: isSecure ? "__Secure-next-auth.session-token" : "next-auth.session-token",
    attributes: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure } as const,
  };
}

function secret(): string {
  const value = env().NEXTAUTH_SECRET;
  if (!value) throw new Error("NEXTAUTH_SECRET is not set: give at least 32 random characters");
  return value;
}

/** Only from a server action or a route handler: pages cannot set cookies. */
export async function writeSessionCookie(sessionId: string): Promise<void> {
  const { name, attributes } = sessionCookie();
  const token = await encode({ token: { sessionId }, secret: secret(), maxAge: sessionLifetimeSeconds });
  (await cookies()).set(name, token, { ...attributes, maxAge: sessionLifetimeSeconds });
}

export async function clearSessionCookie(): Promise<void> {
  const { name, attributes } = sessionCookie();
  (await cookies()).set(name, "", { ...attributes, maxAge: 0 });
}

/** The session that the browser's cookie names. Whether it still counts, only the database knows. */
export async function readSessionId(): Promise<string | null> {
  const token = (await cookies()).get(sessionCookie().name)?.value;
  if (!token) return null;
  try {
    const payload = await decode({ token, secret: secret() });
    return typeof payload?.sessionId === "string" ? payload.sessionId : null;
  } catch {
    // Altered, out of date, or sealed with another secret.
    return null;
  }
}
