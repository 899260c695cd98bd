import { z } from "zod";
import { storedText, text, textRanges } from "@/lib/platform/schema";
import { closeQuotes, parseQuery } from "@/lib/platform/search-text";
import { describedId, idOf } from "@/lib/resources/id-schema";
import { isId } from "@/lib/resources/ids";
import { limitParameter } from "@/lib/resources/pages";
import type { Filters } from "./list.sql";
import {
  conversation,
  conversationStatuses,
  listConversationsQuery,
  listInboxQuery,
} from "./schema";

const searchOrders = ["ranked", "newest"] as const;

const sort = z.enum(searchOrders).meta({
  id: "SearchOrder",
  description:
    "`ranked`: best first, among the 250 newest conversations that match. `newest`: all conversations that match, newest first. A page compares at most 2,500 conversations with the filters; it can be short or empty and still have a `nextCursor`.",
});

/** Of ranked results: the score and id of the last one, and the id of the newest of all. */
const rankedCursor = /^(\d{1,4})-(cnv_[0-9A-Z]{26})-(cnv_[0-9A-Z]{26})$/;

export type SearchPosition = { id: string; score?: number; newestId?: string };

/** A cursor is an id, like those of lists; a ranked one also says where the page starts. */
export function readSearchCursor(cursor: string): SearchPosition | null {
  if (isId("conversation", cursor)) return { id: cursor };
  const [, score, id = "", newestId = ""] = rankedCursor.exec(cursor) ?? [];
  if (!isId("conversation", id) || !isId("conversation", newestId)) return null;
  return { id, newestId, score: Number(score) };
}

export const searchCursor = (score: number, id: string, newestId: string): string =>
  `${score}-${id}-${newestId}`;

const idLength = describedId("conversation").maxLength ?? 30;
const longestCursor = 5 + 2 * (idLength + 1);

const q = text(200)
  .superRefine((value, context) => {
    const parsed = parseQuery(value);
    if ("problem" in parsed)
      context.addIssue({
        code: "custom",
        params: { code: "invalid_query" },
        message: parsed.problem,
      });
  })
  .meta({
    description:
      'Words to find, all of them, each from the start of a word. Use "several words" for a phrase. Case and accents make no difference. At most 10 words and phrases.',
    minLength: 1,
    examples: ['refund "order 4411"'],
  });

const { cursor: _cursor, limit: _limit, order: _order, ...filters } = listConversationsQuery.shape;

const cursor = z
  .string()
  .refine((value) => readSearchCursor(value) !== null, {
    params: { kind: "invalid-cursor" },
    message: "must be a `nextCursor` of this search",
  })
  .optional()
  .meta({ description: "`nextCursor` of the previous page.", maxLength: longestCursor });

export const searchConversationsQuery = z.strictObject({
  q,
  sort: sort.default("ranked"),
  cursor,
  limit: limitParameter("Conversations per page", 50, 20),
  ...filters,
});

/** The dashboard's search: in all statuses, unless one is given. */
export const searchInboxQuery = listInboxQuery.omit({ sort: true }).extend({
  q: text(200).transform(closeQuotes),
  status: listInboxQuery.shape.status.unwrap().default([...conversationStatuses]),
  cursor,
});

/** Where a query can match. */
export const searchFields = [
  "subject",
  "message",
  "customer.name",
  "customer.email",
  "customer.phone",
  "customer.externalId",
] as const;

const highlight = z
  .object({
    field: z.enum(searchFields).meta({
      id: "SearchField",
      description: "Where the words are: in the subject, a message or the customer.",
    }),
    messageId: idOf("message").optional().meta({ description: "The message, if it is one." }),
    text: storedText(
      1_000,
      "The field as plain text. Of a long message, the part around the first word that was found; … marks what is left out.",
    ),
    ranges: textRanges(
      10_000,
      "Where the words are in `text`: JavaScript's `text.slice(start, end)` for each range.",
    ),
  })
  .meta({ id: "SearchHighlight", description: "A part of a conversation with words of a query." });

export const foundConversation = z
  .object({
    conversation,
    highlights: z.array(highlight).meta({
      description: "The fields and up to three messages with words of the query, best first.",
      maxItems: 8,
    }),
    score: z.number().meta({
      description:
        "From 0 to 1. Whole words count more than starts of words, words next to each other more than separate ones, and the subject and the customer more than messages.",
    }),
  })
  .meta({ id: "FoundConversation", description: "A conversation that matches a search." });

export const foundConversations = z.object({
  data: z
    .array(foundConversation)
    .meta({ description: "The conversations of this page.", maxItems: 50 }),
  nextCursor: z.string().optional().meta({
    description: "The position of the last item. Present only when more pages exist.",
    maxLength: longestCursor,
  }),
});

export type SearchConversations = Omit<
  z.output<typeof searchConversationsQuery>,
  keyof typeof filters
> &
  Filters;
export type SearchInbox = z.output<typeof searchInboxQuery>;
export type FoundConversation = z.input<typeof foundConversation>;
export type SearchHighlight = z.input<typeof highlight>;
