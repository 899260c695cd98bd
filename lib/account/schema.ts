import { z } from "zod";
import { scopes } from "@/lib/api-keys/scopes";
import { environment, idOf, timestamp } from "@/lib/schema";

export const account = z
  .object({
    id: idOf("tenant"),
    name: z.string(),
    plan: z.enum(["FREE", "PRO", "SCALE"]),
    environment,
    key: z.object({ id: idOf("apiKey"), name: z.string(), scopes: z.array(z.enum(scopes)), expiresAt: timestamp.nullable() }),
    rateLimit: z.object({ limit: z.number().int(), windowSeconds: z.number().int() }),
    createdAt: timestamp,
  })
  .meta({ id: "Account" });

export type Account = z.input<typeof account>;
