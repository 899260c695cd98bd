"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { KeyDialogs } from "@/components/api-keys/key-dialogs";
import type { KeyActions, KeyChoices } from "@/components/api-keys/types";
import { CopyBlock } from "@/components/ui/copy";

const FreshKey = createContext<string | null>(null);

/**
 * Stands round the checklist: a test key that is made in it stands in its commands from then on,
 * until the page is left.
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

/** @param placeholder what stands in the command for the key, while none is known. */
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
    ? "Your new key stands in this command."
    : "Put your test key into this command.";
}
