import { CreateKeyButton } from "@/components/api-keys/key-dialogs";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { MethodBadge } from "@/components/docs/method-badge";
import type { Step } from "@/components/overview/checklist";
import { CommandWithKey, KeyHint } from "@/components/overview/onboarding-key";
import { ErrorFindings } from "@/components/request-logs/error-explanation";
import { StatusBadge } from "@/components/request-logs/status-badge";
import { ButtonLink } from "@/components/ui/button";
import { CopyBlock } from "@/components/ui/copy";
import { Link } from "@/components/ui/link";
import { Notice } from "@/components/ui/notice";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { TestButton } from "@/components/webhooks/test-button";
import { problemExplanations } from "@/lib/api/problem-explanations";
import type { Progress } from "@/lib/overview/service";
import { env } from "@/lib/platform/env";
import { type ErrorKind, errorKinds, isErrorKind } from "@/lib/platform/errors";
import { arePrivateTargetsAllowed } from "@/lib/platform/outbound-http/blocked-addresses";
import { roleSentence } from "@/lib/platform/roles";
import type { Environment } from "@/prisma/generated/enums";
import { sendTestEventAction } from "./webhooks/actions";

type Visitor = { tenantSlug: string; environment: Environment; mayManage: boolean; now: Date };

/** Requests and webhooks in the checklist are always in test, also on the page of live. */
const inTest = (environment: Environment) => (environment === "test" ? "" : " in test");

/** Listens on this machine, prints requests, and responds with 200. */
const receiver = `node -e 'require("http").createServer((q, r) => { q.pipe(process.stdout); q.on("end", () => { console.log(); r.end() }) }).listen(4000)'`;

/** The steps from an empty organization to live traffic, each with its one action. */
export function onboardingSteps(progress: Progress, visitor: Visitor): Step[] {
  return [
    keyStep(progress, visitor),
    requestStep(progress, visitor),
    webhookStep(progress, visitor),
    liveStep(progress, visitor),
  ];
}

function keyStep({ hasTestKey }: Progress, { environment, mayManage }: Visitor): Step {
  const create = <CreateKeyButton environment={environment === "test" ? undefined : "test"} />;
  return {
    title: "Create a test key",
    isDone: hasTestKey,
    children: hasTestKey ? null : mayManage ? (
      create
    ) : (
      <RoleNote sentence={roleSentence("ADMIN", "create API keys")} />
    ),
  };
}

function requestStep(
  { hasSucceeded, latestRequest }: Progress,
  { tenantSlug, environment, now }: Visitor,
): Step {
  const { APP_URL, SERVICE_PREFIX } = env();
  const placeholder = `${SERVICE_PREFIX}_test_…`;
  const command = `curl ${APP_URL}/v1/public/conversations \\
  -H "Authorization: Bearer ${placeholder}" \\
  -H "Content-Type: application/json" \\
  -d '{"channelId": "web", "message": "Hello"}'`;
  return {
    title: "Send your first request",
    isDone: hasSucceeded,
    children: (
      <>
        {latestRequest ? (
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
            Latest request{inTest(environment)}: <MethodBadge method={latestRequest.method} />
            <code className="break-all font-mono text-xs">{latestRequest.path}</code>
            <StatusBadge status={latestRequest.status} />
            <span className="tabular-nums">{latestRequest.durationMs} ms</span>
            <Time at={latestRequest.createdAt} now={now} />
            <ButtonLink
              variant="quiet"
              size="small"
              href={`/${tenantSlug}/test/logs/${latestRequest.id}`}
            >
              View
            </ButtonLink>
          </p>
        ) : null}
        {hasSucceeded ? null : (
          <>
            {latestRequest && isErrorKind(latestRequest.errorKind) ? (
              <HowToFix kind={latestRequest.errorKind} body={latestRequest.responseBody} />
            ) : null}
            <p className="text-muted">
              <KeyHint /> The request appears here within seconds. Requests without a valid key
              belong to no organization and do not appear.
            </p>
            <CommandWithKey command={command} placeholder={placeholder} />
          </>
        )}
      </>
    ),
  };
}

function HowToFix({ kind, body }: { kind: ErrorKind; body: string | null }) {
  const { status, title } = errorKinds[kind];
  return (
    <Notice variant="warn" role="note">
      <p className="font-medium">
        The response was {status}: {title}.{" "}
        <Link href={`/docs/errors/${kind}`} className="underline underline-offset-2">
          Explain this error
        </Link>
      </p>
      <div className="mt-1 space-y-1">
        <ErrorFindings body={body} />
        {kind === "validation" ? null : (
          <p>
            <InlineMarkdown text={problemExplanations[kind].howToFix[0] ?? ""} />
          </p>
        )}
      </div>
    </Notice>
  );
}

function webhookStep({ webhook }: Progress, { tenantSlug, environment, mayManage }: Visitor): Step {
  const isDone = webhook?.hasReceived ?? false;
  const path = `/${tenantSlug}/test/webhooks`;
  const missing = <RoleNote sentence={roleSentence("ADMIN", "create and test webhooks")} />;
  return {
    title: "Receive an event",
    isDone,
    children: isDone ? (
      <p className="text-muted">
        <span className="break-all">{webhook?.url}</span> has received an event
        {inTest(environment)}.
      </p>
    ) : !mayManage ? (
      missing
    ) : webhook ? (
      <>
        <p className="text-muted">
          <span className="break-all">{webhook.url}</span> has not responded
          {inTest(environment)} yet. Send it a test event and check its response.
        </p>
        <TestButton
          path={`${path}/${webhook.id}`}
          sendTest={sendTestEventAction.bind(
            null,
            { tenant: tenantSlug, environment: "test" },
            webhook.id,
          )}
        />
      </>
    ) : (
      <>
        <p className="text-muted">
          A webhook receives every event as a signed POST request. Failed deliveries are retried.
        </p>
        {arePrivateTargetsAllowed() ? (
          <>
            <p className="text-muted">
              No receiver yet? This command listens at{" "}
              <code className="font-mono text-xs">http://127.0.0.1:4000/</code> on the machine that
              Parlance runs on, and prints each request:
            </p>
            <CopyBlock label="Copy the receiver command" text={receiver} />
          </>
        ) : null}
        <ButtonLink href={`${path}/new`}>Create webhook</ButtonLink>
      </>
    ),
  };
}

function liveStep({ hasLiveKey, hasSucceededLive }: Progress, { mayManage }: Visitor): Step {
  const { APP_URL, SERVICE_PREFIX } = env();
  const isDone = hasLiveKey && hasSucceededLive;
  return {
    title: "Go live",
    isDone,
    children: isDone ? null : hasLiveKey ? (
      <>
        <p className="text-muted">
          You have a live key. The first successful request with it completes this list.
        </p>
        <CopyBlock
          label="Copy the live curl command"
          text={`curl ${APP_URL}/v1/public/account -H "Authorization: Bearer ${SERVICE_PREFIX}_live_…"`}
        />
      </>
    ) : (
      <>
        <p className="text-muted">
          Live has its own keys, webhooks and data. Everything else works as in test.
        </p>
        {mayManage ? (
          <CreateKeyButton environment="live" />
        ) : (
          <RoleNote sentence={roleSentence("ADMIN", "create API keys")} />
        )}
      </>
    ),
  };
}
