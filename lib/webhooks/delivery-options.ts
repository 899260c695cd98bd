export const maximumPerSecond = 1_000;

export const orderings = ["none", "conversation"] as const;
export const onExhaustedChoices = ["continue", "hold"] as const;
export const signatureSchemes = ["hmac", "ed25519", "both"] as const;

/** The options of a webhook's row, as they are returned. */
export const toDeliveryOptions = (row: StoredDeliveryOptions): StoredDeliveryOptions => ({
  maxPerSecond: row.maxPerSecond,
  ordering: row.ordering,
  onExhausted: row.onExhausted,
  signatureScheme: row.signatureScheme,
  acceptsReplies: row.acceptsReplies,
});

export type StoredDeliveryOptions = {
  maxPerSecond: number | null;
  ordering: (typeof orderings)[number];
  onExhausted: (typeof onExhaustedChoices)[number];
  signatureScheme: (typeof signatureSchemes)[number];
  acceptsReplies: boolean;
};

export const defaultDeliveryOptions: StoredDeliveryOptions = {
  maxPerSecond: null,
  ordering: "none",
  onExhausted: "continue",
  signatureScheme: "hmac",
  acceptsReplies: false,
};
