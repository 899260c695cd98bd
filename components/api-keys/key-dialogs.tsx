"use client";

import { Ellipsis, Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { Button, buttonClass } from "@/components/ui/button";
import { Menu, MenuButton } from "@/components/ui/menu";
import type { Environment } from "@/prisma/generated/enums";
import type { KeyActions, KeyChoices, KeySummary, RevealedKey } from "./types";

// Loaded on demand, because most visits open none of them.
const CreateKeyDialog = dynamic(
  () => import("./create-key-dialog").then((module) => module.CreateKeyDialog),
  { ssr: false },
);
const EditKeyDialog = dynamic(
  () => import("./edit-key-dialog").then((module) => module.EditKeyDialog),
  { ssr: false },
);
const RollKeyDialog = dynamic(
  () => import("./roll-key-dialog").then((module) => module.RollKeyDialog),
  { ssr: false },
);
const RevokeKeyDialog = dynamic(
  () => import("./revoke-key-dialog").then((module) => module.RevokeKeyDialog),
  { ssr: false },
);

// Awaited before a key exists, as it is shown only once.
const loadRevealKeyDialog = () =>
  import("./reveal-key-dialog").then((module) => module.RevealKeyDialog);
const RevealKeyDialog = dynamic(loadRevealKeyDialog, { ssr: false });

type Opened =
  | { what: "create"; environment?: Environment }
  | { what: "edit" | "roll" | "revoke"; apiKey: KeySummary }
  | { what: "shown"; key: RevealedKey };

const OpenDialog = createContext<(opened: Opened) => void>(() => {});

type KeyDialogsProps = {
  choices: KeyChoices;
  actions: KeyActions;
  onCreated?: (key: RevealedKey) => void;
  children: ReactNode;
};

/**
 * Wraps everything that can open a dialog about keys. The dialogs belong to the page and not to a
 * row of its list, because an action may remove that row while the dialog still shows a new key,
 * which is shown only once.
 */
export function KeyDialogs({ choices, actions, onCreated, children }: KeyDialogsProps) {
  const router = useRouter();
  const [opened, setOpened] = useState<Opened | null>(null);
  const onClosed = () => setOpened(null);
  const path = usePathname();
  const asksToCreate = useSearchParams().has("create");

  // The palette links here to create a key.
  useEffect(() => {
    if (!asksToCreate) return;
    setOpened({ what: "create" });
    router.replace(path);
  }, [asksToCreate, path, router]);

  function show(key: RevealedKey) {
    setOpened({ what: "shown", key });
    onCreated?.(key);
  }

  function onShownClosed({ environment }: RevealedKey) {
    setOpened(null);
    // Shows the list of the other environment, which contains the new key.
    if (environment !== choices.environment)
      router.push(`/${choices.tenantSlug}/${environment}/api-keys`);
  }

  return (
    <OpenDialog value={setOpened}>
      {children}
      {opened?.what === "create" ? (
        <CreateKeyDialog
          choices={opened.environment ? { ...choices, environment: opened.environment } : choices}
          createKey={async (form) => {
            await loadRevealKeyDialog();
            return actions.create(form);
          }}
          onCreated={show}
          onClosed={onClosed}
        />
      ) : null}
      {opened?.what === "edit" ? (
        <EditKeyDialog
          apiKey={opened.apiKey}
          choices={choices}
          updateKey={actions.update}
          onClosed={onClosed}
        />
      ) : null}
      {opened?.what === "roll" ? (
        <RollKeyDialog
          apiKey={opened.apiKey}
          choices={choices}
          rollKey={async (id, overlap) => {
            await loadRevealKeyDialog();
            return actions.roll(id, overlap);
          }}
          onRolled={show}
          onClosed={onClosed}
        />
      ) : null}
      {opened?.what === "revoke" ? (
        <RevokeKeyDialog
          apiKey={opened.apiKey}
          environment={choices.environment}
          revokeKey={actions.revoke}
          onClosed={onClosed}
        />
      ) : null}
      {opened?.what === "shown" ? (
        <RevealKeyDialog
          shown={opened.key}
          apiUrl={choices.apiUrl}
          onClosed={() => onShownClosed(opened.key)}
        />
      ) : null}
    </OpenDialog>
  );
}

/**
 * @param environment for a key of another environment than the page's, or to name it on the button
 */
export function CreateKeyButton({ environment }: { environment?: Environment }) {
  const open = useContext(OpenDialog);
  return (
    <Button onClick={() => open({ what: "create", environment })} aria-haspopup="dialog">
      <Plus className="size-4" aria-hidden="true" />
      {environment ? `Create ${environment} key` : "Create API key"}
    </Button>
  );
}

/** The actions for a valid key. One that is rolling already has a successor. */
type ActionsProps = { apiKey: KeySummary; isRolling: boolean };

export function KeyMenu({ apiKey, isRolling }: ActionsProps) {
  const open = useContext(OpenDialog);
  return (
    <Menu
      label={`Actions for ${apiKey.name}`}
      className={buttonClass({ variant: "quiet", size: "small" })}
      trigger={<Ellipsis className="size-4" aria-hidden="true" />}
    >
      <MenuButton onClick={() => open({ what: "edit", apiKey })}>Edit…</MenuButton>
      {isRolling ? null : (
        <MenuButton onClick={() => open({ what: "roll", apiKey })}>Rotate…</MenuButton>
      )}
      <MenuButton variant="danger" onClick={() => open({ what: "revoke", apiKey })}>
        Revoke…
      </MenuButton>
    </Menu>
  );
}

export function KeyButtons({ apiKey, isRolling }: ActionsProps) {
  const open = useContext(OpenDialog);
  return (
    <>
      <Button variant="secondary" onClick={() => open({ what: "edit", apiKey })}>
        Edit…
      </Button>
      {isRolling ? null : (
        <Button variant="secondary" onClick={() => open({ what: "roll", apiKey })}>
          Rotate…
        </Button>
      )}
      <Button variant="danger-quiet" onClick={() => open({ what: "revoke", apiKey })}>
        Revoke…
      </Button>
    </>
  );
}
