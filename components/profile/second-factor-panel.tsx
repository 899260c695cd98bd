import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";
import { Panel } from "@/components/ui/panel";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { AuthenticatorButton, RemoveAuthenticator } from "./authenticator-dialogs";
import { AddPasskey, RemovePasskey } from "./passkey-dialogs";
import { ReplaceRecoveryCodes } from "./recovery-codes";
import type { SecondFactorActions } from "./second-factor-actions";

type SecondFactorPanelProps = {
  passkeys: { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[];
  authenticatorAppAt: Date | null;
  recoveryCodes: number;
  /** Whether passkeys work at the address of this installation. */
  canUsePasskey: boolean;
  /** A name for a passkey made in this browser. */
  device: string;
  actions: SecondFactorActions;
  now: Date;
};

/** Shows the user's passkeys, authenticator app and recovery codes, and changes them. */
export function SecondFactorPanel({
  passkeys,
  authenticatorAppAt,
  recoveryCodes,
  canUsePasskey,
  device,
  actions,
  now,
}: SecondFactorPanelProps) {
  const hasAny = passkeys.length > 0 || authenticatorAppAt !== null;
  return (
    <Panel id="second-factor" title="Second factor">
      <div className="space-y-6">
        <p className="max-w-prose text-muted">
          {hasAny
            ? "A password or linked account alone no longer signs you in or confirms your identity."
            : "With a passkey or an authenticator app, a stolen password is not enough to sign in as you. Adding the first one signs out your other devices."}
        </p>
        <Part
          title="Passkeys"
          description="Sign in with your fingerprint, face or PIN, without a password."
          action={
            canUsePasskey ? (
              <AddPasskey device={device} ask={actions.askToAddPasskey} add={actions.addPasskey} />
            ) : null
          }
        >
          {canUsePasskey ? null : (
            <p className="text-muted">
              Passkeys need an address with a host name and https (APP_URL).
            </p>
          )}
          {passkeys.length > 0 ? (
            <Table
              caption="Your passkeys"
              headings={[
                { label: "Name" },
                { label: "Added" },
                { label: "Last used" },
                { label: "Actions", isHidden: true },
              ]}
            >
              {passkeys.map((passkey) => (
                <Row key={passkey.id}>
                  <RowName>
                    <span className="font-medium" dir="auto">
                      {passkey.name}
                    </span>
                  </RowName>
                  <Cell label="Added">
                    <Time at={passkey.createdAt} now={now} />
                  </Cell>
                  <Cell label="Last used">
                    {passkey.lastUsedAt ? <Time at={passkey.lastUsedAt} now={now} /> : "Never"}
                  </Cell>
                  <RowActions>
                    <RemovePasskey
                      name={passkey.name}
                      remove={actions.removePasskey.bind(null, passkey.id)}
                    />
                  </RowActions>
                </Row>
              ))}
            </Table>
          ) : null}
        </Part>
        <Part
          title="Authenticator app"
          description={
            authenticatorAppAt ? (
              <>
                Added <Time at={authenticatorAppAt} now={now} />.
              </>
            ) : (
              "An app on your phone shows a new code every 30 seconds."
            )
          }
          action={
            authenticatorAppAt ? (
              <RemoveAuthenticator remove={actions.removeAuthenticator} />
            ) : (
              <AuthenticatorButton
                begin={actions.beginAuthenticator}
                confirm={actions.confirmAuthenticator}
              />
            )
          }
        />
        {hasAny ? (
          <Part
            title="Recovery codes"
            description={`Each signs you in once if you lose your device. ${recoveryCodes === 1 ? "1 is" : `${recoveryCodes} are`} left.`}
            action={<ReplaceRecoveryCodes replace={actions.replaceRecoveryCodes} />}
          >
            {recoveryCodes < 3 ? (
              <Notice variant="warn">
                {recoveryCodes === 0 ? "You have no codes left." : "You have few codes left."}{" "}
                Create new ones.
              </Notice>
            ) : null}
          </Part>
        ) : null}
      </div>
    </Panel>
  );
}

function Part({
  title,
  description,
  action,
  children,
}: {
  title: string;
  description: ReactNode;
  action: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-prose flex-1 basis-60">
          {/* Gets the focus after the recovery codes were shown. */}
          <h3 tabIndex={-1} className="font-medium">
            {title}
          </h3>
          <p className="text-muted">{description}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
