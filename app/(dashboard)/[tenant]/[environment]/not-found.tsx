import { ButtonLink } from "@/components/ui/button";

/** Inside the shell: the object does not exist, or belongs to the other environment. */
export default function NotFound() {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <h1 className="font-semibold text-base">Page not found</h1>
      <p className="mx-auto mt-1 mb-5 max-w-md text-muted">
        It may have been deleted, or it belongs to the other environment. Live and test share no
        data.
      </p>
      <ButtonLink variant="secondary" href="/">
        Go to the overview
      </ButtonLink>
    </div>
  );
}
