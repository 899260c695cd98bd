import { z } from "zod";
import { integer, storedText } from "@/lib/platform/schema";
import { idOf } from "@/lib/resources/id-schema";

/** A string that quotes what the client sent, so it can contain any character. */
const quoting = (maximum: number, description: string) =>
  storedText(maximum, description).meta({ pattern: "^[\\s\\S]*$" });

/** The body of every problem response. */
export const problem = z
  .object({
    type: z.url().meta({
      description: "The kind of the problem: the URL of a page that explains it.",
      maxLength: 2_048,
    }),
    title: storedText(100, "A short summary, always the same for this kind."),
    status: integer("The HTTP status.", { minimum: 400, maximum: 599 }),
    detail: quoting(10_000, "What went wrong this time, for people."),
    instance: quoting(65_536, "The path of the request."),
    requestId: idOf("request"),
    errors: z
      .array(
        z.object({
          pointer: quoting(2_000, "A JSON Pointer into `location`. Empty for the whole part."),
          location: z.enum(["body", "query", "path", "header"]).meta({
            id: "ProblemLocation",
            description: "The part of the request that the pointer points into.",
          }),
          code: storedText(100, "What is wrong, for programs.").meta({ examples: ["required"] }),
          message: quoting(2_000, "What is wrong, for people."),
        }),
      )
      .max(50)
      .optional()
      .meta({
        description:
          "Everything that is wrong with the request. With `validation` and `invalid-cursor`.",
      }),
    requiredScope: storedText(
      50,
      "With `insufficient-scope`: the scope that the API key lacks.",
    ).optional(),
    existingId: storedText(31, "With `conflict`: the id of the existing object.").optional(),
    limit: integer("With `limit-reached`: the maximum.").optional(),
    current: integer("With `limit-reached`: the current amount.").optional(),
    conversationCount: integer(
      "With `in-use`: how many conversations the customer has.",
    ).optional(),
    retryAfter: integer("Seconds to wait, as in `Retry-After`.").optional(),
    from: storedText(20, "With `invalid-transition`: the current status.").optional(),
    to: storedText(20, "With `invalid-transition`: the requested status.").optional(),
    allowed: z.array(storedText(20, "A status.")).optional().meta({
      description: "With `invalid-transition`: the statuses that are possible.",
      maxItems: 10,
    }),
  })
  .meta({ id: "Problem", description: "A problem as described by RFC 9457 (formerly RFC 7807)." });
