"use client";

import { AutoSaveSelect, InlineTextField } from "@/components/ui/inline-edit";
import type { Conversation } from "@/lib/conversations/schema";
import type { UpdateConversationAction } from "./action-types";
import { priorityLabels } from "./labels";
import { TagEditor } from "./tag-editor";

type ConversationFieldsProps = {
  conversation: Pick<Conversation, "subject" | "priority" | "tags" | "assigneeId">;
  /** Whom it can be assigned to; a former member who still has it among them. */
  members: { id: string; name: string }[];
  update: UpdateConversationAction;
};

const priorities = Object.entries(priorityLabels).map(([value, label]) => ({ value, label }));

/** What people of the tenant decide about a conversation. Each field is saved by itself. */
export function ConversationFields({ conversation, members, update }: ConversationFieldsProps) {
  const { subject, priority, tags, assigneeId } = conversation;
  return (
    <div className="space-y-4">
      <AutoSaveSelect
        label="Assigned to"
        value={assigneeId ?? ""}
        options={[
          { value: "", label: "No one" },
          ...members.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        save={(id) => update({ assigneeId: id || null })}
      />
      <AutoSaveSelect
        label="Priority"
        value={priority}
        options={priorities}
        save={(value) => update({ priority: value as Conversation["priority"] })}
      />
      <InlineTextField
        label="Subject"
        value={subject ?? ""}
        maxLength={200}
        placeholder="None"
        save={(text) => update({ subject: text || null })}
      />
      <TagEditor tags={[...tags]} update={update} />
    </div>
  );
}
