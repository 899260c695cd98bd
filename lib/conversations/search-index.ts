import { phoneWords } from "@/lib/customers/search-words";
import type { Partition } from "@/lib/platform/caller";
import { type Db, db, runSql } from "@/lib/platform/db";
import { wordsIn } from "@/lib/platform/search-text";
import { isId } from "@/lib/resources/ids";
import {
  continueChangeStatement,
  conversationsOfCustomerStatement,
  deleteChangesStatement,
  deleteEmptyEntriesStatement,
  hasSearchWorkStatement,
  headersStatement,
  lockProgressStatement,
  newestChangeStatement,
  nextChangesStatement,
  nextMessagesStatement,
  openSegmentsStatement,
  saveProgressStatement,
  updateHeadersStatement,
  writeEntriesStatement,
  writeWordsStatement,
} from "./search-index.sql";

type Header = {
  subject: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  externalId: string | null;
};
type Place = Partition & { conversationId: string };
type Position = { xact: string; messageId: string };
type NewMessage = Place & Header & Position & { text: string };
type Entry = Place & { messageId: string; header: string; text: string };
type Change = Partition & { id: string; targetId: string; afterId: string };

/**
 * The maximum number of a customer's conversations, or of a conversation's entries, that one batch
 * updates.
 */
const updatesAtMost = 300;

/**
 * Adds new messages, and changed subjects and customers, to the search. Posting a message does
 * nothing for it: the order of transactions says what is new, as in the event feed. One process does
 * this at a time. A batch is one transaction, so a crash repeats it and loses nothing.
 * @returns how many messages and changes it took, at least `limit` if there may be more
 */
export async function indexForSearch(limit: number): Promise<number> {
  const [found] = await runSql<{ hasWork: boolean }>(hasSearchWorkStatement({}));
  if (!found?.hasWork) return 0;
  return db().$transaction(async (transaction) => {
    const [progress] = await run<Position>(transaction, lockProgressStatement({}));
    if (!progress) return 0;
    const messages = await indexMessages(transaction, progress, limit);
    const changes = await indexChanges(transaction, limit);
    await run(transaction, writeWordsStatement({}));
    return Math.max(messages, changes);
  });
}

/** The id of the newest change that is not indexed yet, or "0". */
export async function newestSearchChange(caller: { db: Db }): Promise<string> {
  const [newest] = await runSql<{ id: string }>(newestChangeStatement({}), caller);
  return newest?.id ?? "0";
}

async function indexMessages(transaction: Db, after: Position, limit: number): Promise<number> {
  const messages = await run<NewMessage>(transaction, nextMessagesStatement({ ...after, limit }));
  const last = messages.at(-1);
  if (!last) return 0;
  await writeEntries(
    transaction,
    messages.map((message) => ({
      ...message,
      header: headerText(message),
      text: spaced(wordsIn(message.text)),
    })),
  );
  await run(transaction, saveProgressStatement({ xact: last.xact, messageId: last.messageId }));
  return messages.length;
}

async function indexChanges(transaction: Db, limit: number): Promise<number> {
  const changes = await run<Change>(transaction, nextChangesStatement({ limit }));
  if (changes.length === 0) return 0;
  const finished: string[] = [];
  const continued: { id: string; afterId: string }[] = [];
  const places = new Map<string, Place>();
  for (const { id, targetId, afterId, ...partition } of changes) {
    const conversationIds = isId("conversation", targetId)
      ? [targetId]
      : (
          await run<{ id: string }>(
            transaction,
            conversationsOfCustomerStatement({
              ...partition,
              customerId: targetId,
              afterId,
              limit: updatesAtMost,
            }),
          )
        ).map((conversation) => conversation.id);
    for (const conversationId of conversationIds)
      places.set(`${partition.tenantId} ${partition.environment} ${conversationId}`, {
        ...partition,
        conversationId,
      });
    const lastId = conversationIds.length === updatesAtMost ? conversationIds.at(-1) : undefined;
    if (lastId) continued.push({ id, afterId: lastId });
    else finished.push(id);
    if (places.size >= updatesAtMost) break;
  }
  const isComplete = await updateHeaders(transaction, [...places.values()]);
  // The rest of a long conversation follows with the next batch.
  if (!isComplete) return limit;
  await run(transaction, deleteChangesStatement({ ids: finished }));
  for (const change of continued) await run(transaction, continueChangeStatement(change));
  return finished.length < changes.length ? limit : changes.length;
}

/** @returns whether all entries of these conversations have the current header */
async function updateHeaders(transaction: Db, places: Place[]): Promise<boolean> {
  const rows = await run<Place & Header>(transaction, headersStatement(columnsOf(places)));
  const entries = rows.map((row) => ({ ...row, messageId: "", header: headerText(row), text: "" }));
  await writeEntries(transaction, entries, { keepsEmpty: true });
  const headers = entries.map(({ header }) => header);
  const updated = await run(
    transaction,
    updateHeadersStatement({ ...columnsOf(entries), headers, limit: updatesAtMost }),
  );
  await run(transaction, deleteEmptyEntriesStatement(columnsOf(entries)));
  return updated.length < updatesAtMost;
}

async function writeEntries(
  transaction: Db,
  all: Entry[],
  { keepsEmpty = false } = {},
): Promise<void> {
  const entries = all.filter(({ header, text }) => keepsEmpty || header !== "" || text !== "");
  if (entries.length === 0) return;
  const { conversationIds, ...partitions } = columnsOf(entries);
  await run(transaction, openSegmentsStatement(partitions));
  await run(
    transaction,
    writeEntriesStatement({
      ...partitions,
      conversationIds,
      messageIds: entries.map(({ messageId }) => messageId),
      headers: entries.map(({ header }) => header),
      texts: entries.map(({ text }) => text),
    }),
  );
}

/** What a conversation's messages are found by, too. A bar ends each field, so no phrase spans two. */
function headerText({ subject, name, email, phone, externalId }: Header): string {
  const fields = [subject, name, email, externalId].map((field) => wordsIn(field ?? ""));
  const numbers = phoneWords(phone).map((number) => [number]);
  return [...fields, ...numbers]
    .filter((words) => words.length > 0)
    .map((words) => `${spaced(words)} |`)
    .join("");
}

/** A space before each word, as the index expects them. */
const spaced = (words: string[]) => words.map((word) => ` ${word}`).join("");

const columnsOf = (places: Place[]) => ({
  tenantIds: places.map(({ tenantId }) => tenantId),
  environments: places.map(({ environment }) => environment),
  conversationIds: places.map(({ conversationId }) => conversationId),
});

const run = <Row extends object>(transaction: Db, query: Parameters<typeof runSql>[0]) =>
  runSql<Row>(query, { db: transaction });
