import { Braces } from "lucide-react";
import { ButtonLink } from "@/components/ui/button";

/** Opens the JSON of a resource, as the API returns it, in the drawer. */
export function JsonLink({ href, name }: { href: string; name: string }) {
  return (
    <ButtonLink
      variant="quiet"
      size="tiny"
      href={href}
      scroll={false}
      prefetch={false}
      aria-label={`${name} as JSON`}
    >
      <Braces className="size-3.5" aria-hidden="true" />
    </ButtonLink>
  );
}
