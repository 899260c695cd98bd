import { z } from "zod";
import { integer, storedText, timestamp } from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";

export const erasureStatuses = ["PENDING", "COMPLETED"] as const;

/** What an erasure counts. */
const counts = z
  .object({
    conversations: integer("Conversations whose content was removed."),
    messages: integer("Messages whose content was removed."),
    files: integer("Attachments that were deleted."),
    events: integer("Events that were redacted."),
    deliveries: integer("Deliveries of these events, whose stored responses were removed."),
    requestLogs: integer("Requests whose logged bodies were removed."),
    idempotencyRecords: integer("Stored responses that were removed."),
  })
  .meta({ description: "What was removed so far." });

export const erasure = z
  .object({
    id: idOf("erasure"),
    customerId: idOf("customer"),
    status: z.enum(erasureStatuses).meta({
      id: "ErasureStatus",
      description: "`PENDING` until everything is removed.",
    }),
    removed: counts,
    receipt: z
      .object({
        auditSequence: integer("The number of the entry in the audit log.", { minimum: 1 }),
        signature: storedText(
          64,
          "An HMAC-SHA-256 over the entry and the one before it, in hexadecimal digits.",
        ),
        keyId: storedText(8, "The key that it was made with."),
        signedAt: timestamp.meta({ description: "When it was signed." }),
      })
      .nullable()
      .meta({
        description:
          "What proves the erasure: a signed entry in the organization's audit log. Null until then.",
      }),
    createdAt: timestamp.meta({ description: "When it was requested." }),
    completedAt: timestamp.nullable().meta({ description: "When everything was removed." }),
  })
  .meta({
    id: "Erasure",
    description: "The removal of everything that is personal about a customer.",
  });

export const erasureParams = z.object({ erasureId: idParameter("erasure") });

export type Erasure = z.input<typeof erasure>;
export type ErasureCounts = z.output<typeof counts>;
