"use server";

import { z } from "zod";
import { type ActionPlace, act, filledFields, query } from "@/app/(dashboard)/run-action";
import type { ConversationPatch, FoundCustomer } from "@/components/conversations/action-types";
import { statusLabels } from "@/components/conversations/labels";
import { runOnce } from "@/lib/api/run-once";
import { type CreateMessage, messageText } from "@/lib/conversations/message-schema";
import { postMessage } from "@/lib/conversations/messages";
import {
  type ConversationStatus,
  createConversationBody,
  updateConversationBody,
} from "@/lib/conversations/schema";
import { createConversation, updateConversation } from "@/lib/conversations/service";
import { displayName } from "@/lib/customers/display-name";
import { findCustomersQuery } from "@/lib/customers/schema";
import { findCustomers } from "@/lib/customers/service";
import type { ActionResult } from "@/lib/platform/action-result";
import { AppError } from "@/lib/platform/errors";

const sentMessage = z.strictObject({
  kind: z.enum(["reply", "note", "customer"]),
  text: messageText,
  key: z.string().regex(/^[0-9a-f]{32}$/),
  resolves: z.boolean(),
});

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
    async (caller, { kind, text, key, resolves }, { user, environment }) => {
      if (kind === "customer" && environment !== "test") {
        throw new AppError("validation", "You can write as a customer only in test.");
      }
      const person = { type: "USER", id: user.id, name: user.name } as const;
      const message: CreateMessage =
        kind === "customer"
          ? { text }
          : { text, author: person, ...(kind === "note" && { direction: "INTERNAL" as const }) };
      return runOnce(caller, key, { conversationId, kind, text, resolves }, async () => {
        await postMessage(caller, conversationId, message);
        if (resolves) await updateConversation(caller, conversationId, { status: "RESOLVED" });
        return null;
      });
    },
  );
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

/** The customers that a conversation can be linked to. */
export async function findCustomersAction(
  place: ActionPlace,
  q: string,
): Promise<ActionResult<FoundCustomer[]>> {
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
