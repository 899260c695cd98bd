import { notFound } from "next/navigation";
import { DocsPage } from "@/app/docs/docs-page";
import Changelog from "@/CHANGELOG.md";
import { docsPages } from "@/components/docs/docs-pages";
import { PageTitle, Prose } from "@/components/docs/prose";
import AgentsAndKnowledge from "@/docs/guides/agents-and-knowledge.mdx";
import ApiKeys from "@/docs/guides/api-keys.mdx";
import AuditLog from "@/docs/guides/audit-log.mdx";
import Authentication from "@/docs/guides/authentication.mdx";
import CommandLine from "@/docs/guides/command-line.mdx";
import Commands from "@/docs/guides/commands.mdx";
import Comparison from "@/docs/guides/comparison.mdx";
import Configuration from "@/docs/guides/configuration.mdx";
import Conversations from "@/docs/guides/conversations.mdx";
import Deletion from "@/docs/guides/deletion.mdx";
import EventStream from "@/docs/guides/event-stream.mdx";
import Files from "@/docs/guides/files.mdx";
import Frameworks from "@/docs/guides/frameworks.mdx";
import GoingLive from "@/docs/guides/going-live.mdx";
import Idempotency from "@/docs/guides/idempotency.mdx";
import Mcp from "@/docs/guides/mcp.mdx";
import MembersAndRoles from "@/docs/guides/members-and-roles.mdx";
import MigrateFromChatwoot from "@/docs/guides/migrate-from-chatwoot.mdx";
import MigrateFromIntercom from "@/docs/guides/migrate-from-intercom.mdx";
import Notifications from "@/docs/guides/notifications.mdx";
import Pagination from "@/docs/guides/pagination.mdx";
import Performance from "@/docs/guides/performance.mdx";
import Python from "@/docs/guides/python.mdx";
import Quickstart from "@/docs/guides/quickstart.mdx";
import RateLimits from "@/docs/guides/rate-limits.mdx";
import Recipes from "@/docs/guides/recipes.mdx";
import RequestLogs from "@/docs/guides/request-logs.mdx";
import Requests from "@/docs/guides/requests.mdx";
import Sdk from "@/docs/guides/sdk.mdx";
import Search from "@/docs/guides/search.mdx";
import SelfHosting from "@/docs/guides/self-hosting.mdx";
import SupportBot from "@/docs/guides/support-bot.mdx";
import TestMode from "@/docs/guides/test-mode.mdx";
import Trust from "@/docs/guides/trust.mdx";
import Usage from "@/docs/guides/usage.mdx";
import Vercel from "@/docs/guides/vercel.mdx";
import VerifySignatures from "@/docs/guides/verify-signatures.mdx";
import Versioning from "@/docs/guides/versioning.mdx";
import Webhooks from "@/docs/guides/webhooks.mdx";

const guides = new Map(
  Object.entries({
    quickstart: Quickstart,
    authentication: Authentication,
    "test-mode": TestMode,
    conversations: Conversations,
    pagination: Pagination,
    search: Search,
    deletion: Deletion,
    files: Files,
    idempotency: Idempotency,
    "rate-limits": RateLimits,
    requests: Requests,
    "agents-and-knowledge": AgentsAndKnowledge,
    sdk: Sdk,
    python: Python,
    webhooks: Webhooks,
    "command-line": CommandLine,
    mcp: Mcp,
    "event-stream": EventStream,
    "verify-signatures": VerifySignatures,
    "api-keys": ApiKeys,
    "request-logs": RequestLogs,
    usage: Usage,
    "members-and-roles": MembersAndRoles,
    notifications: Notifications,
    "audit-log": AuditLog,
    "self-hosting": SelfHosting,
    vercel: Vercel,
    performance: Performance,
    trust: Trust,
    changelog: Changelog,
    commands: Commands,
    comparison: Comparison,
    configuration: Configuration,
    frameworks: Frameworks,
    "going-live": GoingLive,
    "migrate-from-chatwoot": MigrateFromChatwoot,
    "migrate-from-intercom": MigrateFromIntercom,
    recipes: Recipes,
    "support-bot": SupportBot,
    versioning: Versioning,
  }),
);

type Props = { params: Promise<{ guide: string }> };

const dashboardPage = (slug: string) => docsPages.find(({ path }) => path === `/docs/${slug}`);

export async function generateMetadata({ params }: Props) {
  const page = dashboardPage((await params).guide);
  return { title: page?.title, description: page?.summary };
}

export default async function GuidePage({ params }: Props) {
  const { guide: slug } = await params;
  const [page, Guide] = [dashboardPage(slug), guides.get(slug)];
  if (!page || !Guide) notFound();
  return (
    <DocsPage path={page.path}>
      <PageTitle title={page.title} summary={page.summary} />
      <Prose>
        <Guide />
      </Prose>
    </DocsPage>
  );
}
