"use client";

import { startTransition, useState } from "react";
import { toast } from "@/components/ui/toast";
import {
  channelNames,
  type NotificationChannel,
  type NotificationChoice,
  type NotificationTopic,
  notificationTopics,
} from "@/lib/notifications/choices";
import type { ActionResult } from "@/lib/platform/action-result";

type ChoicesFormProps = {
  muted: string[];
  /** Whether this installation sends mail. */
  hasMail: boolean;
  change: (muted: NotificationChoice[]) => Promise<ActionResult>;
};

const topics = Object.keys(notificationTopics) as NotificationTopic[];
const channels = Object.keys(channelNames) as NotificationChannel[];

/**
 * Each choice is saved immediately. The boxes stay enabled meanwhile, because a disabled one loses
 * the focus.
 */
export function ChoicesForm({ muted: stored, hasMail, change }: ChoicesFormProps) {
  const [muted, setMuted] = useState(stored as NotificationChoice[]);

  function toggle(choice: NotificationChoice) {
    const toggled = (choices: NotificationChoice[]) =>
      choices.includes(choice) ? choices.filter((other) => other !== choice) : [...choices, choice];
    const after = toggled(muted);
    // Not in the transition, which would show it only when it is saved.
    setMuted(after);
    startTransition(async () => {
      const result = await change(after);
      if (result.outcome === "done") toast.success("Notifications saved.");
      else {
        setMuted(toggled);
        toast.error(result.message);
      }
    });
  }

  return (
    <div className="max-w-prose divide-y divide-line">
      {topics.map((topic) => {
        const { label, note } = notificationTopics[topic];
        const offered: readonly NotificationChannel[] = notificationTopics[topic].channels;
        return (
          <fieldset key={topic} className="py-4 first:pt-0 last:pb-0">
            <legend className="float-left w-full font-medium">{label}</legend>
            <p className="clear-both text-muted">{note}</p>
            <div className="mt-2 flex flex-wrap gap-x-6 gap-y-2">
              {channels
                .filter((channel) => offered.includes(channel))
                .map((channel) => {
                  const choice = `${topic}:${channel}` as NotificationChoice;
                  const isDisabled = channel === "mail" && !hasMail;
                  return (
                    <label
                      key={channel}
                      className="flex items-center gap-2 has-disabled:opacity-60"
                    >
                      <input
                        type="checkbox"
                        checked={!isDisabled && !muted.includes(choice)}
                        disabled={isDisabled}
                        onChange={() => toggle(choice)}
                      />
                      {channelNames[channel]}
                    </label>
                  );
                })}
            </div>
          </fieldset>
        );
      })}
      {hasMail ? null : (
        <p className="pt-4 text-muted">
          This installation sends no mail. Its operator can set it up.
        </p>
      )}
    </div>
  );
}
