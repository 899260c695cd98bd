"use server";

import { z } from "zod";
import { type ActionPlace, act, query } from "@/app/(dashboard)/run-action";
import type {
  BulkChange,
  ConversationPatch,
  Found,
  UndoStep,
} from "@/components/conversations/action-types";
import { statusLabels } from "@/components/conversations/labels";
import { newConversationBody } from "@/components/conversations/new-conversation-body";
import { patchesToUndoResolving } from "@/components/conversations/undo-resolving";
import { newestAgentNames } from "@/lib/agents/service";
import { runOnce } from "@/lib/api/run-once";
import { deleteConversation } from "@/lib/conversations/delete";
import {
  type CreateMessage,
  messageContent,
  requireContent,
} from "@/lib/conversations/message-schema";
import { postMessage } from "@/lib/conversations/messages";
import { redactMessage } from "@/lib/conversations/redact";
import { deleteView, saveView } from "@/lib/conversations/saved-views";
import {
  type Conversation,
  type ConversationStatus,
  createConversationBody,
  maximumTags,
  transitions,
  type UpdateConversation,
  updateConversationBody,
} from "@/lib/conversations/schema";
import { createConversation } from "@/lib/conversations/service";
import { lockConversation, toConversation } from "@/lib/conversations/stored-conversation";
import { updateConversation } from "@/lib/conversations/update";
import { displayName } from "@/lib/customers/display-name";
import { findCustomersQuery } from "@/lib/customers/schema";
import { findCustomers } from "@/lib/customers/service";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Caller } from "@/lib/platform/caller";
import { AppError } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { listMentionable } from "@/lib/users/service";
import { requireListQuery } from "./load-inbox";

const sentMessage = requireContent(
  z.strictObject({
    kind: z.enum(["reply", "note", "customer"]),
    ...messageContent,
    key: z.string().regex(/^[0-9a-f]{32}$/),
    resolves: z.boolean(),
  }),
);

/**
 * Writes as the signed-in user or, in test, as the customer. Retries with the same key write it only
 * once.
 */
export async function sendMessageAction(
  place: ActionPlace,
  conversationId: string,
  sent: unknown,
): Promise<ActionResult> {
  return act(
    place,
    sentMessage,
    sent,
    async (caller, { kind, text, attachments, key, resolves }, { user, environment }) => {
      if (kind === "customer" && environment !== "test") {
        throw new AppError("validation", "You can write as a customer only in test.");
      }
      const person = { type: "USER", id: user.id, name: user.name } as const;
      const message: CreateMessage = {
        ...{ text, attachments },
        ...(kind !== "customer" && { author: person }),
        ...(kind === "note" && { direction: "INTERNAL" as const }),
      };
      const sent = { conversationId, kind, text, attachments, resolves };
      return runOnce(caller, key, sent, async () => {
        await postMessage(caller, conversationId, message);
        if (resolves) await updateConversation(caller, conversationId, { status: "RESOLVED" });
        return null;
      });
    },
  );
}

/** Whom a note can mention. */
export async function listMembersAction(
  place: ActionPlace,
): Promise<ActionResult<{ id: string; name: string; email: string }[]>> {
  return query(place, z.null(), null, async (caller) => {
    requireRole(caller, "MEMBER", "mention members");
    return listMentionable(caller);
  });
}

export async function updateConversationAction(
  place: ActionPlace,
  id: string,
  patch: ConversationPatch,
): Promise<ActionResult> {
  return act(place, updateConversationBody, patch, async (caller, input) => {
    await updateConversation(caller, id, input).catch((error) => {
      throw inWords(error);
    });
    return null;
  });
}

const mostSelected = 50;
const selectedIds = z.array(z.string().max(100)).min(1).max(mostSelected);
const bulkChange = z.strictObject({
  ids: selectedIds,
  change: z.union([
    z.strictObject({ status: z.literal("RESOLVED") }),
    z.strictObject({ assigneeId: z.string().max(100).nullable() }),
    z.strictObject({ addTag: z.string().min(1).max(50) }),
  ]),
});

/** Changes each conversation that allows it. @returns how to undo that, and how many were skipped */
export async function changeConversationsAction(
  place: ActionPlace,
  ids: string[],
  change: BulkChange,
): Promise<ActionResult<{ changed: UndoStep[]; skipped: number }>> {
  return act(place, bulkChange, { ids, change }, async (caller, input) => {
    const patch: UpdateConversation =
      "addTag" in input.change ? { addTags: [input.change.addTag] } : input.change;
    const changed: UndoStep[] = [];
    let skipped = 0;
    // In the order of their ids, so that two such changes cannot block each other.
    for (const id of input.ids.toSorted()) {
      const before = await findConversation(caller, id);
      if (!before || !isAllowed(before, patch)) {
        skipped += 1;
        continue;
      }
      const after = await updateConversation(caller, id, patch);
      if (after.updatedAt !== before.updatedAt)
        changed.push({ id, patches: undoPatches(before, patch) });
    }
    return { changed, skipped };
  });
}

async function findConversation(caller: Caller, id: string): Promise<Conversation | null> {
  try {
    return toConversation(await lockConversation(caller, id));
  } catch (error) {
    if (error instanceof AppError && error.kind === "not-found") return null;
    throw error;
  }
}

function isAllowed({ status, tags }: Conversation, patch: UpdateConversation): boolean {
  const wanted = new Set([...tags, ...(patch.addTags ?? [])]);
  return (
    wanted.size <= maximumTags &&
    (!patch.status || patch.status === status || transitions[status].includes(patch.status))
  );
}

function undoPatches(before: Conversation, patch: UpdateConversation): ConversationPatch[] {
  if (patch.status) return patchesToUndoResolving(before);
  if (patch.addTags)
    return [{ removeTags: patch.addTags.filter((tag) => !before.tags.includes(tag)) }];
  return [{ assigneeId: before.assigneeId }];
}

const undoSteps = z
  .array(
    z.strictObject({ id: z.string().max(100), patches: z.array(updateConversationBody).max(2) }),
  )
  .min(1)
  .max(mostSelected);

export async function undoConversationsAction(
  place: ActionPlace,
  steps: UndoStep[],
): Promise<ActionResult> {
  return act(place, undoSteps, steps, async (caller, given) => {
    for (const { id, patches } of given.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
      for (const patch of patches)
        await updateConversation(caller, id, patch).catch((error) => {
          throw inWords(error);
        });
    return null;
  });
}

/**
 * The buttons offer only valid status changes, so a rejected one was valid when the page was
 * rendered.
 */
function inWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== "invalid-transition") return error;
  const [from, to] = [error.members.from, error.members.to].map(
    (status) => statusLabels[status as ConversationStatus],
  );
  return new AppError(
    error.kind,
    `This conversation was set to ${from} in the meantime. It cannot change from ${from} to ${to}.`,
    error.members,
  );
}

export async function createConversationAction(
  place: ActionPlace,
  sent: FormData,
): Promise<ActionResult<{ id: string }>> {
  return act(
    place,
    createConversationBody,
    newConversationBody(sent),
    async (caller, input, { user, environment }) => {
      const { message, ...fields } = input;
      const person = { type: "USER", id: user.id, name: user.name } as const;
      const { id } = await createConversation(caller, {
        ...fields,
        // In test, you play the customer. In live, you write to one.
        ...(message && {
          message: environment === "live" ? { ...message, author: person } : message,
        }),
      });
      return { id };
    },
  );
}

const savedView = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(50),
  query: z.string().max(1_000),
  isShared: z.boolean(),
});

/** Saves filters of the list under a name. */
export async function saveViewAction(
  place: ActionPlace,
  sent: { name: string; query: string; isShared: boolean },
): Promise<ActionResult> {
  return act(place, savedView, sent, async (caller, view) => {
    const filters = Object.fromEntries(new URLSearchParams(view.query));
    requireListQuery(filters);
    await saveView(caller, { ...view, query: new URLSearchParams(filters).toString() });
    return null;
  });
}

const viewName = z.strictObject({ userId: z.string().max(100), name: z.string().max(50) });

export async function deleteViewAction(
  place: ActionPlace,
  sent: { userId: string; name: string },
): Promise<ActionResult> {
  return act(place, viewName, sent, async (caller, view) => {
    await deleteView(caller, view);
    return null;
  });
}

const deletion = z.strictObject({ id: z.string().max(100) });

export async function deleteConversationAction(
  place: ActionPlace,
  id: string,
): Promise<ActionResult> {
  return act(place, deletion, { id }, async (caller, conversation) => {
    await deleteConversation(caller, conversation.id);
    return null;
  });
}

const redaction = deletion.extend({ conversationId: z.string().max(100) });

export async function redactMessageAction(
  place: ActionPlace,
  conversationId: string,
  id: string,
): Promise<ActionResult> {
  return act(place, redaction, { conversationId, id }, async (caller, message) => {
    await redactMessage(caller, message.conversationId, message.id);
    return null;
  });
}

const mostChoices = 6;

const findAgentsQuery = z.strictObject({ q: z.string().max(200) });

/** The agents that the list can be filtered by. */
export async function findAgentsAction(
  place: ActionPlace,
  q: string,
): Promise<ActionResult<Found[]>> {
  return query(place, findAgentsQuery, { q }, async (caller, input) => {
    const agents = await newestAgentNames(caller, 100);
    const wanted = input.q.trim().toLowerCase();
    return agents
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .slice(0, mostChoices)
      .map(({ id, name, description }) => ({ id, name, detail: description ?? "" }));
  });
}

/** The customers that a conversation can be linked to. */
export async function findCustomersAction(
  place: ActionPlace,
  q: string,
): Promise<ActionResult<Found[]>> {
  return query(place, findCustomersQuery, { q }, async (caller, input) => {
    const { data } = await findCustomers(caller, input);
    return data.slice(0, mostChoices).map((customer) => {
      const { id, email, phone, externalId } = customer;
      return {
        id,
        name: displayName(customer),
        detail: [email, phone, externalId].filter(Boolean).join(" · "),
      };
    });
  });
}
