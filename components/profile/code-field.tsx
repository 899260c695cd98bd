import { TextField } from "@/components/ui/field";

/** @param takesRecoveryCodes whether a recovery code works instead */
export function CodeField({ takesRecoveryCodes = true }: { takesRecoveryCodes?: boolean }) {
  return (
    <TextField
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
