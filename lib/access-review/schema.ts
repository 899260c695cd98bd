import { z } from "zod";

export const accessKinds = [
  "apiKeys",
  "webhooks",
  "alertTargets",
  "invitations",
  "members",
] as const;

export type AccessKind = (typeof accessKinds)[number];

/** What to confirm: one thing, or everything that is suspended. */
export const confirmAccessInput = z.union([
  z.literal("everything"),
  z.strictObject({ kind: z.enum(accessKinds), id: z.string().max(100) }),
]);

export type ConfirmAccess = z.output<typeof confirmAccessInput>;
