import type { ReactNode } from "react";
import { ArrivalHeading } from "@/components/ui/arrival-heading";

type InboxProps = {
  list: ReactNode;
  /** The messages of the open conversation; null if none is open. */
  thread: ReactNode | null;
  details: ReactNode | null;
  /** The only pane that a narrow screen shows. */
  pane: "list" | "thread" | "details";
};

/**
 * Three panes that scroll independently: list, thread and details. On a medium screen, the details
 * replace the thread, and a narrow screen shows one pane at a time. All of them stay mounted, so
 * typed text is not lost.
 */
export function Inbox({ list, thread, details, pane }: InboxProps) {
  return (
    <div data-fills-frame className="flex h-[calc(100dvh-var(--bar)-3.5rem)] md:h-full">
      {thread ? (
        <h1 className="sr-only">Conversations</h1>
      ) : (
        <ArrivalHeading level="h1" className="sr-only">
          Conversations
        </ArrivalHeading>
      )}
      <section
        aria-label="List"
        className={`min-w-0 flex-1 flex-col border-line bg-surface lg:flex lg:w-80 lg:flex-none lg:border-r 2xl:w-88 ${pane === "list" ? "flex" : "hidden"}`}
      >
        {list}
      </section>
      <section
        aria-label="Conversation"
        className={`min-w-0 flex-1 flex-col bg-canvas xl:flex ${pane === "thread" ? "flex" : pane === "list" ? "hidden lg:flex" : "hidden"}`}
      >
        {thread ?? (
          <p className="m-auto max-w-xs p-6 text-center text-muted">
            Choose a conversation, or move through the list with <kbd className="font-sans">j</kbd>{" "}
            and <kbd className="font-sans">k</kbd>.
          </p>
        )}
      </section>
      {details ? (
        <section
          aria-label="Details"
          className={`min-w-0 flex-1 overflow-y-auto border-line bg-surface xl:block xl:w-72 xl:flex-none xl:border-l 2xl:w-80 ${pane === "details" ? "block" : "hidden"}`}
        >
          {details}
        </section>
      ) : null}
    </div>
  );
}
