/** Stays visible on every page of the test environment. */
export function TestBar() {
  return (
    <section
      aria-label="Test environment"
      className="print:hidden sticky top-0 z-10 flex items-center justify-center gap-2 bg-test h-(--bar) whitespace-nowrap px-4 text-center text-on-test text-xs"
    >
      <strong className="font-bold tracking-widest">TEST</strong>{" "}
      <span className="min-w-0 truncate">
        Test mode.
        <span className="max-sm:hidden"> Data is isolated from live and never billed.</span>
      </span>
    </section>
  );
}
