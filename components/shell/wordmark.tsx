/** The logo is decorative, because the name is next to it. */
export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold text-base tracking-tight">
      <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#3d4fd1" />
        <path
          d="M9 10.5A2.5 2.5 0 0 1 11.5 8h9A2.5 2.5 0 0 1 23 10.5v7a2.5 2.5 0 0 1-2.5 2.5H15l-4.2 4.1c-.5.5-1.3.1-1.3-.6V19.8A2.5 2.5 0 0 1 9 17.5z"
          fill="#fff"
        />
      </svg>
      Parlance
    </span>
  );
}
