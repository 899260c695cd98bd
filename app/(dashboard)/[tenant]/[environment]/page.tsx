import { pageOf } from "@/app/(dashboard)/page-of";
import { PageHeader } from "@/components/ui/page-header";

export const metadata = { title: "Overview" };

export default pageOf(async ({ tenant }) => {
  return <PageHeader title="Overview" description={`What goes on in ${tenant.name}.`} />;
});
