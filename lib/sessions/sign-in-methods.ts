import type { SignInMethod } from "@/prisma/generated/enums";

export const signInMethodNames: Record<SignInMethod, string> = {
  PASSWORD: "Password",
  GITHUB: "GitHub",
  GOOGLE: "Google",
  PASSKEY: "Passkey",
};
