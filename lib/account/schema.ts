import { z } from "zod";
import { scopes } from "@/lib/api-keys/scopes";
import { createdAt, environment, integer, storedText, timestamp } from "@/lib/platform/schema";
import { idOf } from "@/lib/resources/id-schema";

const plan = z
  .enum(["FREE", "PRO", "SCALE"])
  .meta({ id: "Plan", description: "The account's plan, which sets its limits." });
const scope = z
  .enum(scopes)
  .meta({ id: "Scope", description: "What an API key is allowed to do." });

export const account = z
  .object({
    id: idOf("tenant"),
    name: storedText(100, "The organization's name."),
    plan,
    environment,
    key: z
      .object({
        id: idOf("apiKey"),
        name: storedText(100, "The API key's name."),
        scopes: z
          .array(scope)
          .meta({ description: "What the API key is allowed to do.", maxItems: scopes.length }),
        expiresAt: timestamp.nullable().meta({ description: "When the API key expires." }),
      })
      .meta({ description: "The API key of this request." }),
    rateLimit: z
      .object({
        limit: integer("Requests that the API key can make in a window.", { minimum: 1 }),
        windowSeconds: integer("The length of the window, in seconds.", { minimum: 1 }),
      })
      .meta({ description: "The API key's rate limit." }),
    createdAt,
  })
  .meta({ id: "Account", description: "Your organization, as the API key sees it." });

export type Account = z.input<typeof account>;
