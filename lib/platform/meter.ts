// What the product counts and times. The meter exists only if METRICS_PORT is set; without it, each
// place that would count costs one property read.

type Definition = {
  type: "counter" | "histogram";
  name: string;
  help: string;
  /**
   * Each value comes from a closed list in the code, never from a client or a row, so the number of
   * series is bounded.
   */
  labels: readonly string[];
  /** Upper bounds in seconds, for a histogram. */
  buckets?: readonly number[];
};

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slow = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

export const measurements = {
  requests: {
    type: "counter",
    name: "parlance_requests_total",
    help: "Responses of the API. The operation is `none` for an unknown path and `edge` for input that is refused before it is read.",
    labels: ["operation", "status"],
  },
  requestDuration: {
    type: "histogram",
    name: "parlance_request_duration_seconds",
    help: "From the end of a request's headers to its response, by operation of the API.",
    labels: ["operation"],
    buckets: quick,
  },
  pageDuration: {
    type: "histogram",
    name: "parlance_page_duration_seconds",
    help: "Responses of the dashboard and the documentation, by class of status.",
    labels: ["status"],
    buckets: quick,
  },
  rateLimitDecisions: {
    type: "counter",
    name: "parlance_rate_limit_decisions_total",
    help: "Decisions of the rate limiter, by what is limited.",
    labels: ["limit", "decision"],
  },
  replicaReads: {
    type: "counter",
    name: "parlance_replica_reads_total",
    help: "Reads that a replica may serve, by where they went: to the replica, or to the primary because of the caller's own writes or because the replica was behind or down.",
    labels: ["target"],
  },
  droppedRequestLogs: {
    type: "counter",
    name: "parlance_request_logs_dropped_total",
    help: "Requests that were served but could not be logged.",
    labels: [],
  },
  deliveryAttempts: {
    type: "counter",
    name: "parlance_delivery_attempts_total",
    help: "Recorded attempts to deliver a webhook. The attempt is a number, `manual` or `test`; the reason is the class of the response or an error code.",
    labels: ["outcome", "attempt", "reason"],
  },
  deliveryDuration: {
    type: "histogram",
    name: "parlance_delivery_duration_seconds",
    help: "How long receivers took to respond.",
    labels: [],
    buckets: quick,
  },
  claimDuration: {
    type: "histogram",
    name: "parlance_delivery_claim_duration_seconds",
    help: "Statements that claim deliveries: many that are due, those that a notification named, or those that users requested.",
    labels: ["kind"],
    buckets: quick,
  },
  claimedDeliveries: {
    type: "counter",
    name: "parlance_deliveries_claimed_total",
    help: "Deliveries that were claimed.",
    labels: ["kind"],
  },
  jobDuration: {
    type: "histogram",
    name: "parlance_job_duration_seconds",
    help: "Runs of recurring jobs and of the processing of documents.",
    labels: ["job", "result"],
    buckets: slow,
  },
  jobItems: {
    type: "counter",
    name: "parlance_job_items_total",
    help: "What recurring jobs did, in rows or items.",
    labels: ["job"],
  },
  documents: {
    type: "counter",
    name: "parlance_documents_total",
    help: "Documents whose processing ended, by its error or `none`.",
    labels: ["error"],
  },
  mails: {
    type: "counter",
    name: "parlance_mails_total",
    help: "Attempts to send a mail.",
    labels: ["outcome"],
  },
} as const satisfies Record<string, Definition>;

type Measurements = typeof measurements;
type Named<Type extends Definition["type"]> = {
  [Name in keyof Measurements]: Measurements[Name]["type"] extends Type ? Name : never;
}[keyof Measurements];
type Labels<Name extends keyof Measurements> = Record<Measurements[Name]["labels"][number], string>;

export type Meter = {
  count: <Name extends Named<"counter">>(name: Name, labels: Labels<Name>, by?: number) => void;
  observe: <Name extends Named<"histogram">>(
    name: Name,
    durationMs: number,
    labels: Labels<Name>,
  ) => void;
};

// On globalThis for the reason given in lib/platform/db.ts.
const shared = globalThis as { parlanceMeter?: Meter };

/** Undefined unless this process serves metrics: `meter()?.count(…)`. */
export const meter = (): Meter | undefined => shared.parlanceMeter;

export function setMeter(made: Meter): void {
  shared.parlanceMeter = made;
}

export const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;
