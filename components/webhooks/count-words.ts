import { maximumCounted } from "@/lib/deliveries/backlog";

/** "1,204 deliveries"; "more than 10,000 deliveries" where counting stopped there. */
export function deliveriesInWords(count: number): string {
  return `${countInWords(count)} ${count === 1 ? "delivery" : "deliveries"}`;
}

/** "1 delivery is held". */
export const heldInWords = (count: number) =>
  `${deliveriesInWords(count)} ${count === 1 ? "is" : "are"} held`;

export function countInWords(count: number): string {
  return count > maximumCounted
    ? `more than ${maximumCounted.toLocaleString("en")}`
    : count.toLocaleString("en");
}
