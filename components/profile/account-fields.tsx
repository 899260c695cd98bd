import { TextField } from "@/components/ui/field";

/** The value of a failed submission and its error. */
type Sent = { value?: string; error?: string };

export function EmailField({ value, error }: Sent) {
  return (
    <TextField
      label="Email"
      name="email"
      type="email"
      autoComplete="username"
      required
      defaultValue={value}
      error={error}
    />
  );
}

/** Tells password managers which account a password belongs to, if the address is known. */
export function KnownEmail({ email }: { email: string }) {
  return <input type="hidden" name="username" autoComplete="username" value={email} readOnly />;
}

export function NameField({ value, error }: Sent) {
  return (
    <TextField
      label="Your name"
      name="name"
      autoComplete="name"
      required
      maxLength={100}
      defaultValue={value}
      error={error}
    />
  );
}

type NewPasswordFieldProps = { label?: string; minimumLength: number; error?: string };

export function NewPasswordField({
  label = "Password",
  minimumLength,
  error,
}: NewPasswordFieldProps) {
  return (
    <TextField
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={minimumLength}
      hint={`At least ${minimumLength} characters. Several words work well.`}
      error={error}
    />
  );
}
