import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { CreateKnowledgeBaseDialog } from "@/components/knowledge/create-knowledge-base-dialog";
import { KnowledgeBaseTable } from "@/components/knowledge/knowledge-base-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { languages, sortKnowledgeBasesQuery } from "@/lib/knowledge/bases/schema";
import { listKnowledgeBases } from "@/lib/knowledge/bases/service";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { createKnowledgeBaseAction } from "./actions";

export const metadata = { title: "Knowledge" };

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const { data: bases, nextCursor } = await listKnowledgeBases(
    caller,
    parse(sortKnowledgeBasesQuery, query, "query"),
  );
  const action = createKnowledgeBaseAction.bind(null, { tenant: tenant.slug, environment });
  const create = hasRole(role, "MEMBER") ? (
    <CreateKnowledgeBaseDialog
      base={base}
      environment={environment}
      languages={languages}
      create={action}
    />
  ) : (
    <RoleNote sentence={roleSentence("MEMBER", "create knowledge bases")} />
  );
  return (
    <>
      <PageHeader
        title="Knowledge"
        description="Documents that agents search, organized in knowledge bases."
        guide="agents-and-knowledge#knowledge"
        actions={bases.length > 0 ? create : null}
      />
      {bases.length > 0 ? (
        <KnowledgeBaseTable
          bases={bases}
          base={base}
          sorting={{ path: `${base}/knowledge`, query, initial: "created" }}
          now={now}
        />
      ) : (
        <EmptyState
          title={`No ${environment} knowledge bases yet`}
          action={create}
          curl={createByApi(environment)}
        >
          A knowledge base holds documents: PDF, Word, Markdown, HTML, CSV, JSON or plain text.
          Their text is cut into chunks that can be searched, by you and by agents.
        </EmptyState>
      )}
      <Pager path={`${base}/knowledge`} query={query} nextCursor={nextCursor} />
    </>
  );
});

const createByApi = (environment: string) => `curl ${env().APP_URL}/v1/public/knowledge-bases \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "Help center"}'`;
