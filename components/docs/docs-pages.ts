/** Every page below /docs, in the order of its navigation. */

export type DocsPage = {
  path: string;
  title: string;
  summary: string;
  /** Words that find this page first. */
  keywords?: string;
};

const guide = (slug: string, title: string, summary: string, keywords = ""): DocsPage => ({
  path: `/docs/${slug}`,
  title,
  summary,
  keywords,
});

export const docsSections: { title: string; pages: DocsPage[] }[] = [
  {
    title: "Start",
    pages: [
      { path: "/docs", title: "Overview", summary: "What Parlance offers, and where to find it." },
      guide(
        "quickstart",
        "Quickstart",
        "From a key to a conversation and a signed webhook in two minutes.",
      ),
      guide(
        "authentication",
        "Authentication and scopes",
        "How to authenticate requests, and what each scope allows.",
      ),
      guide(
        "support-bot",
        "Build a support bot",
        "From a knowledge base to a bot that replies, and hands over to a person.",
        "chatbot model handover",
      ),
      guide("going-live", "Going live", "What to check before you use a live key.", "checklist"),
      guide(
        "test-mode",
        "Test mode",
        "A separate environment: same API, isolated data, never billed.",
      ),
    ],
  },
  {
    title: "Using the API",
    pages: [
      guide(
        "conversations",
        "Conversations and messages",
        "Statuses, snoozing, messages, internal notes and tags.",
        "snooze snoozedUntil reopen resolve close",
      ),
      guide(
        "pagination",
        "Pagination and filters",
        "Page through lists without gaps or duplicates.",
        "cursor nextCursor limit",
      ),
      guide("search", "Search", "Find conversations by words of messages, subjects and customers."),
      guide("files", "Files", "Attach files to messages, and download them with signed links."),
      guide("deletion", "Deletion and erasure", "Delete, redact, and erase a person’s data."),
      guide("idempotency", "Idempotency", "Retry a change safely: it is made only once."),
      guide("errors", "Errors", "The format of error responses, and a page for each kind."),
      guide(
        "requests",
        "Requests and responses",
        "Sizes, times, compression, versions, and changes without races.",
      ),
      guide(
        "rate-limits",
        "Rate limits",
        "How many requests a key may send, and how to stay below the limit.",
        "Retry-After 429 throttling",
      ),
      guide(
        "agents-and-knowledge",
        "Agents and knowledge",
        "Configurations for your program, and documents to search.",
      ),
      guide("recipes", "Recipes", "Short solutions for common tasks."),
      guide(
        "versioning",
        "Versioning and deprecation",
        "What may change, what does not, and how you find out.",
        "Deprecation Sunset compatibility breaking",
      ),
      guide("changelog", "Changelog", "What changed in each version.", "releases history"),
      guide("sdk", "TypeScript client", "Typed calls, pages, retries and verified webhooks."),
      guide("python", "Python client", "Calls the API from Python, with and without async."),
      guide(
        "command-line",
        "Command line",
        "Receive webhooks on your machine, raise events and follow them.",
      ),
      guide("mcp", "Agents over MCP", "Let an agent use the API, with the scopes of a key."),
    ],
  },
  {
    title: "Webhooks and events",
    pages: [
      guide(
        "webhooks",
        "Receiving webhooks",
        "Deliveries, retries, secret rotation, and how to respond.",
      ),
      guide(
        "verify-signatures",
        "Verifying signatures",
        "In TypeScript, Python, Go, Ruby, PHP and Java.",
        "whsec HMAC X-Service-Signature",
      ),
      guide(
        "frameworks",
        "Webhooks in your framework",
        "Next.js, Hono, Express, FastAPI, Rails and Laravel.",
      ),
      guide(
        "event-stream",
        "Event stream",
        "Events over a connection that you open, without a public URL.",
      ),
      {
        path: "/docs/events",
        title: "Event catalog",
        summary: "Every type of event, with its trigger, its fields and an example.",
      },
    ],
  },
  {
    title: "In the dashboard",
    pages: [
      guide(
        "api-keys",
        "API keys",
        "Presets, scopes, expiry, IP addresses and limits. Rotating without downtime, and revoking.",
      ),
      guide(
        "request-logs",
        "Request logs",
        "What is stored of each request, what is masked, and how to find one.",
      ),
      guide("usage", "Usage", "What counts, by day and by key, and what is never billed."),
      guide(
        "members-and-roles",
        "Members and roles",
        "What each role may do, and how members join and leave.",
      ),
      guide(
        "notifications",
        "Notifications",
        "Assignments, mentions and webhook alerts: in the dashboard, by mail and in a chat.",
        "slack mention bell alert",
      ),
      guide(
        "audit-log",
        "Audit log",
        "Who changed what, and how to prove that no entry was altered.",
      ),
    ],
  },
  {
    title: "Reference",
    pages: [
      {
        path: "/docs/reference",
        title: "API reference",
        summary: "Every operation, with samples in five languages and a form to try it.",
      },
    ],
  },
  {
    title: "Compare and migrate",
    pages: [
      guide(
        "comparison",
        "Comparison",
        "Svix, Outpost, Chatwoot and Intercom, and where they are better.",
      ),
      guide("migrate-from-intercom", "Migrate from Intercom", "Field by field, with a program."),
      guide("migrate-from-chatwoot", "Migrate from Chatwoot", "Field by field, with a program."),
    ],
  },
  {
    title: "Running Parlance",
    pages: [
      guide("self-hosting", "Self-hosting", "Postgres, limits, jobs, workers, backups."),
      guide("vercel", "Vercel", "What runs on a serverless host, and what must run elsewhere."),
      guide(
        "performance",
        "Performance",
        "What to expect, how to be fast, and which limits apply.",
      ),
      guide(
        "configuration",
        "Configuration",
        "Every setting, with its default.",
        "environment variables settings",
      ),
      guide("commands", "Commands", "Run, administer and develop Parlance.", "npm admin doctor"),
      guide("trust", "Promises and their tests", "What you can rely on, and how we know."),
    ],
  },
];

export const docsPages: DocsPage[] = docsSections.flatMap(({ pages }) => pages);
