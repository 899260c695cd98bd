export const maximumPerSecond = 1_000;

export const orderings = ["none", "conversation"] as const;
export const onExhaustedChoices = ["continue", "hold"] as const;

/** The options of a webhook's row, as they are returned. */
export const toDeliveryOptions = (row: StoredDeliveryOptions): StoredDeliveryOptions => ({
  maxPerSecond: row.maxPerSecond,
  ordering: row.ordering,
  onExhausted: row.onExhausted,
  acceptReplies: row.acceptReplies,
});

export type StoredDeliveryOptions = {
  maxPerSecond: number | null;
  ordering: (typeof orderings)[number];
  onExhausted: (typeof onExhaustedChoices)[number];
  acceptReplies: boolean;
};

export const defaultDeliveryOptions: StoredDeliveryOptions = {
  maxPerSecond: null,
  ordering: "none",
  onExhausted: "continue",
  acceptReplies: false,
};
