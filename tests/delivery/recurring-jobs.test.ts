import { expect, test } from "vitest";
import { createConversation, getConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { retryDocument } from "@/lib/knowledge/documents/change-document";
import { deleteDocument, getDocument } from "@/lib/knowledge/documents/service";
import { mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { clock, receiver, withEachClock } from "../support/clocks";
import { dropAllWeeks } from "../support/partitions";
import { newDocument } from "../support/stored-document";
import { newPartition, newWebhook } from "../support/webhooks";

const dayMs = 86_400_000;

withEachClock(() => {
  const secondsAhead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);
  const read = (
    partition: Partition,
    { id, knowledgeBaseId }: { id: string; knowledgeBaseId: string },
  ) => getDocument(reader(system(partition)), knowledgeBaseId, id);
  const receivedTypes = () =>
    receiver.requests.map(({ headers }) => headers["x-service-event-type"]);

  test("a document is processed once, and webhooks are notified", async () => {
    const { partition } = await newWebhook(receiver.url);
    const document = await newDocument(partition, "A sentence. ".repeat(200));
    await clock.settle();
    expect(await read(partition, document)).toMatchObject({ status: "READY", chunkCount: 3 });
    await clock.advance(600);
    expect(receivedTypes().filter((type) => type === "document.ready")).toHaveLength(1);
  });

  test("a failed document is processed again on request, also within the day", async () => {
    const partition = await newPartition();
    const document = await newDocument(partition, "%PDF-1.7 and nothing more", "application/pdf");
    await clock.settle();
    expect(await read(partition, document)).toMatchObject({ status: "FAILED" });
    await db().document.updateMany({
      where: { id: document.id },
      data: { contentType: "text/plain" },
    });
    await mutate(system(partition), (caller) =>
      retryDocument(caller, document.knowledgeBaseId, document.id),
    );
    await clock.settle();
    expect(await read(partition, document)).toMatchObject({ status: "READY" });
  });

  test("a document of a process that never finished is processed when its lease ends", async () => {
    const partition = await newPartition();
    const document = await newDocument(partition, "Text");
    const leaseExpiresAt = secondsAhead(60);
    const left = {
      status: "PROCESSING",
      leaseHolder: "gone",
      startedAt: clock.now(),
      leaseExpiresAt,
    } as const;
    await db().document.updateMany({ where: { id: document.id }, data: left });
    await db().knowledgeBase.updateMany({
      where: { id: document.knowledgeBaseId },
      data: { pendingCount: 0, processingCount: 1 },
    });
    await clock.advance(59);
    expect(await read(partition, document)).toMatchObject({ status: "PROCESSING" });
    await clock.advance(2);
    expect(await read(partition, document)).toMatchObject({ status: "READY" });
  });

  test("a stuck document fails, and an orphaned file is removed", async () => {
    const partition = await newPartition();
    const [stuck, deleted] = [
      await newDocument(partition, "Text"),
      await newDocument(partition, "Other text"),
    ];
    const started = {
      status: "PROCESSING",
      leaseHolder: "slow",
      startedAt: clock.now(),
      leaseExpiresAt: secondsAhead(3_600),
    } as const;
    await db().document.updateMany({ where: { id: stuck.id }, data: started });
    await db().knowledgeBase.updateMany({
      where: { id: stuck.knowledgeBaseId },
      data: { pendingCount: 0, processingCount: 1 },
    });
    await mutate(system(partition), (caller) =>
      deleteDocument(caller, deleted.knowledgeBaseId, deleted.id),
    );
    expect(await db().strayBlob.count({ where: partition })).toBe(1);
    await clock.advance(899);
    expect(await read(partition, stuck)).toMatchObject({ status: "PROCESSING" });
    await clock.advance(61);
    expect(await read(partition, stuck)).toMatchObject({
      status: "FAILED",
      error: { code: "timeout" },
    });
    expect(await db().strayBlob.count({ where: partition })).toBe(0);
  });

  test("a snoozed conversation opens at its time, not before, and webhooks are notified", async () => {
    const { partition } = await newWebhook(receiver.url);
    const { id } = await mutate(system(partition), (caller) =>
      createConversation(caller, { channelId: "web", priority: "NORMAL", tags: [], metadata: {} }),
    );
    const snoozedUntil = secondsAhead(3_600);
    await mutate(system(partition), (caller) =>
      updateConversation(caller, id, { status: "SNOOZED", snoozedUntil }),
    );
    await clock.advance(3_599);
    expect(await getConversation(reader(system(partition)), id)).toMatchObject({
      status: "SNOOZED",
    });
    await clock.advance(1);
    expect(await getConversation(reader(system(partition)), id)).toMatchObject({
      status: "OPEN",
      snoozedUntil: null,
    });
    await clock.settle();
    expect(receivedTypes().filter((type) => type === "conversation.status_changed")).toHaveLength(
      2,
    );
  });

  test("everything past its retention is deleted, no matter how much there is, and the rest stays", async () => {
    await dropAllWeeks();
    const partition = await newPartition();
    const event = (createdAt: Date) => {
      const expiresAt = new Date(createdAt.getTime() + 30 * dayMs);
      return {
        ...partition,
        id: newId("event"),
        type: "webhook.test",
        payload: "{}",
        createdAt,
        expiresAt,
      };
    };
    const old = new Date(clock.now().getTime() - 31 * dayMs);
    await db().event.createMany({
      data: [...Array.from({ length: 2_500 }, () => event(old)), event(clock.now())],
    });
    await clock.settle();
    expect(await db().event.count({ where: partition })).toBe(1);
    // A week is dropped as a whole, 30 days after its end.
    await clock.advance(37.5 * 86_400);
    expect(await db().event.count({ where: partition })).toBe(0);
  });
});
