import { phoneWords } from "@/lib/customers/search-words";
import type { Partition } from "@/lib/platform/caller";
import { type Db, db, runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { wordsIn } from "@/lib/platform/search-text";
import { isConnectionFailure } from "@/lib/platform/sql-errors";
import { isId } from "@/lib/resources/ids";
import {
  changesStatement,
  continueChangeStatement,
  conversationsOfCustomerStatement,
  deleteChangesStatement,
  deleteEmptyEntriesStatement,
  headersStatement,
  lockProgressStatement,
  mergeChangesStatement,
  newestChangeStatement,
  nextChangesStatement,
  nextMessagesStatement,
  openSegmentsStatement,
  readInOrderStatement,
  saveProgressStatement,
  searchWorkStatement,
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
/** A conversation whose entries a change updates. */
type Part = Place & {
  changeId: string;
  /** The conversation before it in this change, or empty. */
  previousId: string;
  /** The message whose entry is the last one that is updated already, or empty. */
  afterMessageId: string;
  isLast: boolean;
};

/** The maximum number of conversations, and of their entries, that one batch of changes reads. */
const readAtMost = 300;

/** For how long changes are worked off one by one before messages and other changes continue. */
const oneByOneMs = 5_000;

const leftOutChanges = leaveOut(
  "a change could not be indexed for the search and will be tried again",
);

/** The change that had the last turn. Each worker counts its own turns. */
let lastChangeId = "0";

/**
 * Adds new messages, and changed subjects and customers, to the search. Posting a message does
 * nothing for it: the order of transactions says what is new, as in the event feed. One process does
 * this at a time. Messages and changes have a transaction each, so neither waits for the other if
 * that fails. A crash repeats a batch and loses nothing.
 * @returns how many messages and changes it took, at least `limit` if there may be more
 */
export async function indexForSearch(limit: number): Promise<number> {
  const [work] = await runSql<{ hasMessages: boolean; hasChanges: boolean }>(
    searchWorkStatement({}),
  );
  const changes = work?.hasChanges ? await indexChanges(limit) : 0;
  const messages = work?.hasMessages
    ? await whileLocked((transaction, progress) => indexMessages(transaction, progress, limit))
    : 0;
  return Math.max(messages ?? 0, changes);
}

/**
 * Runs one batch in a transaction. Messages and changes take the same lock, so that a change finds
 * the entries of all messages that were indexed before it was noted.
 * @returns null while another process indexes
 */
async function whileLocked<Result>(
  work: (transaction: Db, progress: Position) => Promise<Result>,
): Promise<Result | null> {
  return db().$transaction(async (transaction) => {
    const [progress] = await run<Position>(transaction, lockProgressStatement({}));
    if (!progress) return null;
    const result = await work(transaction, progress);
    await run(transaction, writeWordsStatement({}));
    return result;
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

/**
 * Changes take turns: each batch continues after the change with which the one before ended. So one
 * that takes many batches holds up no others. If a batch fails, its changes are worked off one by
 * one.
 * @returns how many changes it took, `limit` if there may be more
 */
async function indexChanges(limit: number): Promise<number> {
  const changes = await runSql<Change>(
    nextChangesStatement({ afterId: lastChangeId, except: leftOutChanges.ids(), limit }),
  );
  if (changes.length === 0) return 0;
  const workOff = (ids: string[]) => whileLocked((transaction) => workOffChanges(transaction, ids));
  try {
    const left = await workOff(changes.map(({ id }) => id));
    if (left === null) return 0;
    return left > 0 ? limit : changes.length;
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    const endMs = performance.now() + oneByOneMs;
    for (const { id, targetId, afterId: _afterId, ...partition } of changes) {
      await leftOutChanges.attempt(id, { ...partition, targetId }, () => workOff([id]));
      if (performance.now() > endMs) break;
    }
    return limit;
  }
}

/** @returns how many of these changes are left */
async function workOffChanges(transaction: Db, ids: string[]): Promise<number> {
  // Before any header is read, which then includes what the merged changes noted.
  const merged = await run(transaction, mergeChangesStatement({ ids }));
  const changes = await run<Change>(transaction, changesStatement({ ids }));
  const parts: Part[] = [];
  const finished: string[] = [];
  for (const change of changes) {
    const added = await partsOf(transaction, change, readAtMost - parts.length);
    if (added.length === 0) finished.push(change.id);
    parts.push(...added);
    lastChangeId = change.id;
    if (parts.length === readAtMost) break;
  }
  const end = await updateHeaders(transaction, parts);
  const continued = new Map<string, string>();
  for (const { changeId, conversationId, isLast } of parts.slice(0, end?.part)) {
    continued.set(changeId, conversationId);
    if (isLast && continued.delete(changeId)) finished.push(changeId);
  }
  const unfinished = end && parts[end.part];
  if (unfinished) {
    const { changeId, previousId, conversationId } = unfinished;
    continued.set(changeId, [previousId, conversationId, end.messageId].join("/"));
    lastChangeId = changeId;
  }
  await run(transaction, deleteChangesStatement({ ids: finished }));
  for (const [id, afterId] of continued)
    await run(transaction, continueChangeStatement({ id, afterId }));
  return ids.length - merged.length - finished.length;
}

/** The next conversations of a change, at most `limit`. */
async function partsOf(transaction: Db, change: Change, limit: number): Promise<Part[]> {
  const { id: changeId, targetId, afterId, ...partition } = change;
  const [previousId = "", conversationId = "", messageId = ""] = afterId.split("/");
  const isConversation = isId("conversation", targetId);
  const found = isConversation
    ? [{ id: targetId }]
    : await run<{ id: string }>(
        transaction,
        conversationsOfCustomerStatement({
          ...{ ...partition, customerId: targetId, afterId: previousId },
          limit,
        }),
      );
  const isComplete = isConversation || found.length < limit;
  return found.map(({ id }, index) => ({
    ...{ ...partition, changeId, conversationId: id },
    previousId: found[index - 1]?.id ?? previousId,
    afterMessageId: id === conversationId ? messageId : "",
    isLast: isComplete && index === found.length - 1,
  }));
}

/** @returns the last entry that was read, and the index of its part, if there may be more entries */
async function updateHeaders(
  transaction: Db,
  parts: Part[],
): Promise<{ part: number; messageId: string } | undefined> {
  const rows = await run<Place & Header>(transaction, headersStatement(columnsOf(parts)));
  // Two changes can have the same conversation.
  const entries = new Map(
    rows.map((row) => [
      nameOf(row),
      { ...row, messageId: "", header: headerText(row), text: "" } satisfies Entry,
    ]),
  );
  await writeEntries(transaction, [...entries.values()], { keepsEmpty: true });
  await run(transaction, readInOrderStatement({}));
  const [end] = await run<{ part: number; messageId: string }>(
    transaction,
    updateHeadersStatement({
      ...columnsOf(parts),
      afterMessageIds: parts.map(({ afterMessageId }) => afterMessageId),
      headers: parts.map((part) => entries.get(nameOf(part))?.header ?? null),
      limit: readAtMost,
    }),
  );
  await run(transaction, deleteEmptyEntriesStatement(columnsOf([...entries.values()])));
  return end;
}

const nameOf = ({ tenantId, environment, conversationId }: Place) =>
  `${tenantId} ${environment} ${conversationId}`;

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
