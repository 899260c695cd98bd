import { notFound } from "next/navigation";

/** Without this page, the dashboard would handle unknown addresses below /docs. */
export default function NoSuchPage(): never {
  notFound();
}
