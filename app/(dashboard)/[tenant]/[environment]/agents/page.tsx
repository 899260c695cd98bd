import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { AgentTable } from "@/components/agents/agent-table";
import { CreateAgentDialog } from "@/components/agents/create-agent-dialog";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { Link } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { findAgentsQuery } from "@/lib/agents/schema";
import { listAgents } from "@/lib/agents/service";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { createAgentAction } from "./actions";

export const metadata = { title: "Agents" };

const statusFilter = {
  name: "status",
  label: "Status",
  options: [
    { value: "DRAFT", label: "Never published" },
    { value: "PUBLISHED", label: "Published" },
    { value: "ARCHIVED", label: "Archived" },
  ],
};

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const { data: agents, nextCursor } = await listAgents(
    caller,
    parse(findAgentsQuery, query, "query"),
  );
  const isFirstUse = agents.length === 0 && Object.keys(query).length === 0;

  const create = hasRole(role, "MEMBER") ? (
    <CreateAgentDialog
      base={base}
      environment={environment}
      create={createAgentAction.bind(null, { tenant: tenant.slug, environment })}
    />
  ) : (
    <RoleNote sentence={roleSentence("MEMBER", "create agents")} />
  );
  return (
    <>
      <PageHeader
        title="Agents"
        description="Configurations that your program reads to reply to customers. Each agent has a draft to edit and a published version, which changes only when you publish."
        guide="agents-and-knowledge"
        actions={isFirstUse ? null : create}
      />
      {isFirstUse ? (
        <EmptyState
          title={`No ${environment} agents yet`}
          action={create}
          curl={createByApi(environment)}
        >
          An agent is a configuration: instructions, the name of a model, a greeting and knowledge
          bases. Parlance stores it, but does not run a model:{" "}
          <Link
            href="/docs/agents-and-knowledge"
            className="text-accent underline underline-offset-2"
          >
            your program reads it and posts the replies
          </Link>
          . An agent starts as a draft. Publish it here when it is ready.
        </EmptyState>
      ) : (
        <>
          <Filters filters={[statusFilter]} />
          {agents.length > 0 ? (
            <AgentTable
              agents={agents}
              base={base}
              sorting={{ path: `${base}/agents`, query, initial: "created" }}
              now={now}
            />
          ) : (
            <EmptyState title="No agents match this filter">Choose another status.</EmptyState>
          )}
          <Pager path={`${base}/agents`} query={query} nextCursor={nextCursor} />
        </>
      )}
    </>
  );
});

const createByApi = (environment: string) => `curl ${env().APP_URL}/v1/public/agents \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "Support", "instructions": "Be kind, and brief."}'`;
