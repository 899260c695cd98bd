/** A bar at the top of the window while a list loads. The list itself is dimmed by globals.css. */
export function LoadingBar() {
  return (
    <div
      role="progressbar"
      aria-label="Loading"
      className="fixed inset-x-0 top-0 z-30 h-0.5 overflow-hidden bg-accent/20"
    >
      <div className="loading-bar h-full w-1/3 bg-accent" />
    </div>
  );
}
