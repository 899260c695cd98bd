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

export function SelectField({ label, error, children, ...select }: ComponentProps<"select"> & FieldProps) {
  const id = useId();
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <select id={id} className={inputClass} {...select}>
        {children}
      </select>
      {error ? <p className="text-danger">{error}</p> : null}
    </div>
  );
}
