/** A bar at the top of the window while a list loads. The list itself is dimmed by globals.css. */
export function LoadingBar() {
  return (
    <span
      role="progressbar"
      aria-label="Loading"
      className="fixed inset-x-0 top-0 z-30 block h-0.5 overflow-hidden bg-accent/20"
    >
      <span className="loading-bar block h-full w-1/3 bg-accent motion-reduce:w-full" />
    </span>
  );
}
