import { type ComponentProps, type ReactNode, useId } from "react";

const inputClass =
  "h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-muted aria-invalid:border-danger max-md:text-base";

type FieldProps = { label: string; hint?: ReactNode; error?: string };

/** A label, an input, and below it what is wrong or what to know, read out with the input. */
export function TextField({ label, hint, error, ...input }: ComponentProps<"input"> & FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <input
        id={id}
        className={inputClass}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        {...input}
      />
      {note ? (
        <p id={`${id}-note`} className={error ? "text-danger" : "text-muted"}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

/** The same for several lines. With `maxLength`, how much of it is used is said as it fills up. */
export function TextAreaField({
  label,
  hint,
  error,
  className = "",
  ...area
}: ComponentProps<"textarea"> & FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const { value, maxLength } = area;
  const isNearlyFull =
    typeof value === "string" && maxLength !== undefined && value.length > 0.8 * maxLength;
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <textarea
        id={id}
        className={`block w-full rounded-lg border border-line-strong bg-surface px-3 py-2 text-ink placeholder:text-muted aria-invalid:border-danger max-md:text-base ${className}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={note || isNearlyFull ? `${id}-note` : undefined}
        {...area}
      />
      {note || isNearlyFull ? (
        <p
          id={`${id}-note`}
          className={`flex justify-between gap-4 ${error ? "text-danger" : "text-muted"}`}
        >
          <span>{note}</span>
          {isNearlyFull ? (
            <span className="shrink-0 tabular-nums">
              {value.length.toLocaleString("en")} of {maxLength.toLocaleString("en")}
            </span>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: ComponentProps<"select"> & FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <select
        id={id}
        className={inputClass}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        {...select}
      >
        {children}
      </select>
      {note ? (
        <p id={`${id}-note`} className={error ? "text-danger" : "text-muted"}>
          {note}
        </p>
      ) : null}
    </div>
  );
}
