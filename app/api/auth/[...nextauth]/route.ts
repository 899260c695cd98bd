import NextAuth from "next-auth";
import { nextAuthOptions, signInPage } from "@/lib/auth/next-auth-options";
import { recordRefusedAttempt } from "@/lib/auth/refused-attempts";
import { currentDevice } from "@/lib/auth/require-user";
import { mayReturnFromProvider } from "@/lib/auth/throttle";

type Context = { params: Promise<{ nextauth: string[] }> };

/** The options are created per request, because at build time nothing is configured yet. */
async function handle(request: Request, context: Context): Promise<Response> {
  const [action, provider] = (await context.params).nextauth;
  // next-auth would log whatever anyone sends to this path.
  if (action === "_log") return new Response(null, { status: 404 });
  // Password attempts are counted where passwords are checked.
  const isFromProvider = action === "callback" && provider !== "credentials";
  const device = await currentDevice();
  if (isFromProvider && !(await mayReturnFromProvider(device.address))) {
    recordRefusedAttempt({ what: "sign-in", outcome: "throttled", email: null, source: device });
    return new Response(null, {
      status: 302,
      headers: { Location: signInPage("TooManyAttempts") },
    });
  }
  return NextAuth(request as never, context as never, nextAuthOptions(device));
}

export { handle as GET, handle as POST };
