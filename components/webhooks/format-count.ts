import { maximumCounted } from "@/lib/deliveries/backlog";

/** "1,204 deliveries"; "more than 10,000 deliveries" where counting stopped there. */
export function formatDeliveries(count: number): string {
  return `${formatCappedCount(count)} ${count === 1 ? "delivery" : "deliveries"}`;
}

/** "1 delivery is held". */
export const formatHeldDeliveries = (count: number) =>
  `${formatDeliveries(count)} ${count === 1 ? "is" : "are"} held`;

export function formatCappedCount(count: number): string {
  return count > maximumCounted
    ? `more than ${maximumCounted.toLocaleString("en")}`
    : count.toLocaleString("en");
}
