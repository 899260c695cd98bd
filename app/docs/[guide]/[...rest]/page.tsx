import { notFound } from "next/navigation";

/** Without it, an unknown address below /docs would be looked for in the dashboard. */
export default function NoSuchPage(): never {
  notFound();
}
