import { AutoRefresh } from "@/components/ui/auto-refresh";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import type { Erasure } from "@/lib/erasures/schema";

const followMs = 2_000;

/** How far the erasure of a customer is. */
export function ErasureNotice({ erasure, now }: { erasure: Erasure; now: Date }) {
  const { completedAt, createdAt, receipt, removed } = erasure;
  const messages = `${removed.messages.toLocaleString("en")} messages and ${removed.events.toLocaleString("en")} events cleared`;
  return (
    <div className="mb-5">
      <Notice variant="warn" role="note">
        {completedAt ? (
          <>
            Erased <Time at={new Date(completedAt)} now={now} />: {messages}. Entry{" "}
            {receipt?.auditSequence} of the audit log certifies it.
          </>
        ) : (
          <>
            Erasure in progress, requested <Time at={new Date(createdAt)} now={now} />: {messages}{" "}
            so far.
            <AutoRefresh everyMs={followMs} />
          </>
        )}
      </Notice>
    </div>
  );
}
