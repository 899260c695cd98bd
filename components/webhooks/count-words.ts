/** "1,204 deliveries", or "more than 10,000 deliveries" where counting stopped there. */
export function deliveriesInWords(count: number, mostCounted = Number.POSITIVE_INFINITY): string {
  if (count > mostCounted) return `more than ${mostCounted.toLocaleString("en")} deliveries`;
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;
}
