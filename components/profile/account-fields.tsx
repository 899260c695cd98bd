import { TextField } from "@/components/ui/field";

/** What was sent in vain before, and what is wrong with it. */
type Sent = { value?: string; error?: string };

export function EmailField({ value, error }: Sent) {
  return (
    <TextField
      label="E-mail"
      name="email"
      type="email"
      autoComplete="username"
      required
      defaultValue={value}
      error={error}
    />
  );
}

/** Where the address is known: tells a password manager whose password is meant. */
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
      hint={`At least ${minimumLength} characters. A few words in a row are good.`}
      error={error}
    />
  );
}
