import { type ComponentProps, type ReactNode, useId } from "react";

const controlClass =
  "w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-muted aria-invalid:border-danger max-md:text-base";
const inputClass = `h-9 ${controlClass}`;

type FieldProps = { label: string; hint?: ReactNode; error?: string };
type ControlProps = {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
};

/**
 * A label, a control, and a note below it: the error or else the hint. Screen readers read the note
 * with the control.
 * @param aside shown next to the note.
 * @param children renders the control with the attributes that tie it to its label and note.
 */
function Field({
  label,
  hint,
  error,
  aside,
  children,
}: FieldProps & { aside?: ReactNode; children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  const hasNote = Boolean(note || aside);
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": hasNote ? `${id}-note` : undefined,
      })}
      {hasNote ? (
        <p
          id={`${id}-note`}
          className={`flex justify-between gap-4 ${error ? "text-danger" : "text-muted"}`}
        >
          <span>{note}</span>
          {aside}
        </p>
      ) : null}
    </div>
  );
}

export function FileField({ label, hint, error, ...input }: ComponentProps<"input"> & FieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          type="file"
          className="w-full rounded-lg border border-line-strong bg-surface p-1.5 text-ink file:mr-3 file:h-7 file:rounded-md file:border-0 file:bg-sunken file:px-2.5 file:font-medium file:text-ink aria-invalid:border-danger"
          {...control}
          {...input}
        />
      )}
    </Field>
  );
}

export function TextField({ label, hint, error, ...input }: ComponentProps<"input"> & FieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input dir="auto" className={inputClass} {...control} {...input} />}
    </Field>
  );
}

/**
 * A field with several lines. With `maxLength`, shows how much of it is used once it is nearly
 * full.
 */
export function TextAreaField({
  label,
  hint,
  error,
  className = "",
  ...area
}: ComponentProps<"textarea"> & FieldProps) {
  const { value, maxLength } = area;
  const isNearlyFull =
    typeof value === "string" && maxLength !== undefined && value.length > 0.8 * maxLength;
  const usage = isNearlyFull ? (
    <span className="shrink-0 tabular-nums">
      {value.length.toLocaleString("en")} of {maxLength.toLocaleString("en")}
    </span>
  ) : null;
  return (
    <Field label={label} hint={hint} error={error} aside={usage}>
      {(control) => (
        <textarea
          dir="auto"
          className={`block py-2 ${controlClass} ${className}`}
          {...control}
          {...area}
        />
      )}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: ComponentProps<"select"> & FieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select className={inputClass} {...control} {...select}>
          {children}
        </select>
      )}
    </Field>
  );
}
