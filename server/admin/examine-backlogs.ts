import { hasMisplacedEvents } from "@/lib/events/rebase";
import type { Env } from "@/lib/platform/env";
import { mostCountedDeliveries, readiness } from "@/lib/readiness/service";
import { hasPartitionFor } from "@/lib/retention/partitions";
import { oldestExpired } from "@/lib/retention/purge-expired";
import type { Finding } from "./doctor";

// The work that the worker has not done yet: deliveries, events and expired rows.

/**
 * A running worker takes due deliveries within about a second; next to Inngest, deliveries that are
 * two minutes late.
 */
const lateAfterSeconds = { embedded: 60, inngest: 180 };

const dayMs = 86_400_000;
/** The worker deletes expired rows every minute, and a large backlog of them within the hour. */
const expiredLateSeconds = 3_600;

export async function examineRetention(): Promise<Finding> {
  const subject = "retention";
  if (!(await hasPartitionFor(new Date(Date.now() + dayMs)))) {
    const problem =
      "the tables of events, deliveries and request logs have no partition for tomorrow, so new rows go to the default partitions and are deleted in batches later";
    return {
      subject,
      problem: `${problem}. Is the worker running, and has \`npm run admin -- migrate\` granted its role the functions? Look for "create-partitions" in its log`,
    };
  }
  const { table, seconds } = await oldestExpired();
  if (seconds === 0) return { subject, fact: "no expired rows" };
  const oldest = `the oldest expired row has waited ${Math.round(seconds)} s to be deleted from ${table}`;
  if (seconds <= expiredLateSeconds) return { subject, fact: oldest };
  return {
    subject,
    problem: `${oldest}. Is the worker running? Look for "purge-expired" and "expired rows" in its log, logs/worker.log in the data directory`,
  };
}

export async function examineFeed(): Promise<Finding> {
  const subject = "event feed";
  if (!(await hasMisplacedEvents())) return { subject, fact: "in order" };
  const problem =
    "events come from another PostgreSQL cluster, so clients that follow the feed miss new ones";
  return {
    subject,
    problem: `${problem}. Stop web and worker, and run \`npm run admin -- events:rebase\``,
  };
}

export async function examineDeliveries({ JOBS }: Env): Promise<Finding> {
  const subject = "deliveries";
  const { oldestDueDeliverySeconds: seconds, deliveries } = await readiness();
  if (seconds === null || !deliveries)
    return { subject, problem: "cannot be counted: the database cannot be reached" };
  if (seconds > lateAfterSeconds[JOBS]) {
    return {
      subject,
      problem: `the oldest one that is due has waited ${Math.round(seconds)} s. Is the worker running? Its log is logs/worker.log in the data directory`,
    };
  }
  const { due, inProgress, held } = deliveries;
  const age = seconds === 0 ? "none is late" : `the oldest one that is due has waited ${seconds} s`;
  return {
    subject,
    fact: `${age}; ${atLeast(due)} due, ${atLeast(inProgress)} of them in progress, ${atLeast(held)} held`,
  };
}

const atLeast = (count: number) => (count >= mostCountedDeliveries ? `${count}+` : String(count));
