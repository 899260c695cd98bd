import NextAuth from "next-auth";
import { nextAuthOptions } from "@/lib/auth/next-auth-options";

type Context = { params: Promise<{ nextauth: string[] }> };

/** The options are made at the first request, because at build time nothing is configured yet. */
const handle = (request: Request, context: Context) => NextAuth(request as never, context as never, nextAuthOptions());

export { handle as GET, handle as POST };
