import type { Caller } from "@/lib/platform/caller";
import { readRows, runSql } from "@/lib/platform/db";
import { unreadStatement } from "./inbox.sql";
import type { Conversation } from "./schema";
import { visitStatement } from "./visits.sql";

/** The conversations that have a message of the customer which the caller, a member, has not seen. */
export async function unreadConversations(caller: Caller, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await readRows<{ id: string }>(
    unreadStatement({ ...caller.partition, viewerId: caller.actor.id, ids }),
    caller,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Notes that the caller, a member, has a conversation on their screen.
 * @param seen whether they see its newest message
 * @returns the names of the others who have it on their screen
 */
export async function visitConversation(
  { partition, actor }: Caller,
  { id, messageCount }: Pick<Conversation, "id" | "messageCount">,
  { seen }: { seen: boolean },
): Promise<string[]> {
  const rows = await runSql<{ name: string }>(
    visitStatement({
      ...partition,
      conversationId: id,
      viewerId: actor.id,
      seenSequence: seen ? messageCount : 0,
    }),
  );
  return rows.map(({ name }) => name);
}
