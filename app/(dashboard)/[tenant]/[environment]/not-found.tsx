import { ButtonLink } from "@/components/ui/button";

/** Inside the frame: what one looked for is not here, or lies in the other environment. */
export default function NotFound() {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <h1 className="font-semibold text-base">There is nothing here</h1>
      <p className="mx-auto mt-1 mb-5 max-w-md text-muted">
        It may have been deleted, or it belongs to the other environment: live and test share
        nothing.
      </p>
      <ButtonLink variant="secondary" href="/">
        Go to the overview
      </ButtonLink>
    </div>
  );
}
