import { TextField } from "@/components/ui/field";

type CodeFieldProps = {
  /** Whether a recovery code works instead. */
  takesRecoveryCodes?: boolean;
  autoFocus?: boolean;
};

export function CodeField({ takesRecoveryCodes = true, autoFocus }: CodeFieldProps) {
  return (
    <TextField
      autoFocus={autoFocus}
      label="Code"
      name="code"
      autoComplete="one-time-code"
      inputMode={takesRecoveryCodes ? "text" : "numeric"}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={64}
      required
      hint={
        takesRecoveryCodes
          ? "The 6 digits from your authenticator app, or a recovery code."
          : "The 6 digits that the app shows."
      }
    />
  );
}
