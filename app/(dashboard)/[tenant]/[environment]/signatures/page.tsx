import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { SignatureDebugger } from "@/components/signatures/signature-debugger";
import { Link } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { describedEvents } from "@/lib/api/event-reference";

export const metadata = { title: "Signature debugger" };

export default dashboardPage(async () => (
  <>
    <PageHeader
      title="Signature debugger"
      description={
        <>
          Find out why a receiver rejects a delivery. It runs in your browser: your input is neither
          sent nor stored.{" "}
          <Link href="/docs/verify-signatures" className="text-accent underline underline-offset-2">
            How signatures are verified
          </Link>
        </>
      }
    />
    <SignatureDebugger
      example={{ body: JSON.stringify(describedEvents["message.received"].example) }}
    />
  </>
));
