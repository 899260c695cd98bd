"use client";

import { AutoSaveSelect, InlineTextField } from "@/components/ui/inline-edit";
import type { Conversation } from "@/lib/conversations/schema";
import type { UpdateConversationAction } from "./action-types";
import { priorityLabels } from "./labels";
import { TagEditor } from "./tag-editor";

type ConversationFieldsProps = {
  conversation: Pick<Conversation, "subject" | "priority" | "tags" | "assigneeId">;
  /** The possible assignees: all members, and the current assignee, even if they have left. */
  members: { id: string; name: string }[];
  update: UpdateConversationAction;
};

const priorities = Object.entries(priorityLabels).map(([value, label]) => ({ value, label }));

/** The fields of a conversation that members set. Each field is saved separately. */
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
