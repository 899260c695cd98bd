"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { KeyDialogs } from "@/components/api-keys/key-dialogs";
import type { KeyActions, KeyChoices } from "@/components/api-keys/types";
import { CopyBlock } from "@/components/ui/copy";

const FreshKey = createContext<string | null>(null);

/**
 * Wraps the checklist: a test key created in it is filled into its commands until the user leaves
 * the page.
 */
export function OnboardingKey({
  choices,
  actions,
  children,
}: {
  choices: KeyChoices;
  actions: KeyActions;
  children: ReactNode;
}) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <FreshKey value={key}>
      <KeyDialogs
        choices={choices}
        actions={actions}
        onCreated={({ key, environment }) => environment === "test" && setKey(key)}
      >
        {children}
      </KeyDialogs>
    </FreshKey>
  );
}

/** @param placeholder the text in the command that the key replaces once it is known */
export function CommandWithKey({ command, placeholder }: { command: string; placeholder: string }) {
  const key = useContext(FreshKey);
  return (
    <CopyBlock
      label="Copy the curl command"
      text={key ? command.replace(placeholder, key) : command}
    />
  );
}

export function KeyHint() {
  return useContext(FreshKey)
    ? "This command contains your new key."
    : "Replace the placeholder with your test key.";
}
