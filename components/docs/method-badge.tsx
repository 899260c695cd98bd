const methodColors: Record<string, string> = {
  GET: "bg-accent-soft text-accent",
  POST: "bg-good-soft text-good",
  PATCH: "bg-warn-soft text-warn",
  PUT: "bg-warn-soft text-warn",
  DELETE: "bg-danger-soft text-danger",
};

export function MethodBadge({ method }: { method: string }) {
  return (
    <span
      className={`inline-flex h-6 items-center rounded-md px-2 font-mono font-semibold text-xs ${methodColors[method] ?? "bg-sunken text-muted"}`}
    >
      {method}
    </span>
  );
}
