import { predicateOf } from "@/lib/api/predicates";
import { createApiKeyInput, type Overlap, overlaps } from "@/lib/api-keys/schema";
import { scopes } from "@/lib/api-keys/scopes";
import {
  createApiKey,
  listApiKeys,
  partitionOfApiKey,
  revokeApiKey,
  rollApiKey,
} from "@/lib/api-keys/service";
import { verifyChainOf, verifyReceipts } from "@/lib/audit/verify-chain";
import { createPasswordReset } from "@/lib/auth/password-reset";
import { rebaseEvents } from "@/lib/events/rebase";
import { type Identity, mutate, type Partition, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { loopbackClosedBecause, resetExposure } from "@/lib/platform/loopback-exposure";
import { removeSecondFactor } from "@/lib/second-factor/service";
import { reencryptSecrets } from "@/lib/secrets/service";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { type MoveOptions, moveTenant } from "@/lib/tenant-move/service";
import { abortMove, forgetCopy } from "@/lib/tenant-move/undo";
import {
  createTenant,
  findTenantBySlug,
  listTenants,
  planRateLimits,
  setPlan,
} from "@/lib/tenants/service";
import { newOwnerInput } from "@/lib/users/schema";
import { createOwner, findUserByEmail } from "@/lib/users/service";
import { listAllWebhooks } from "@/lib/webhooks/service";
import type { Plan } from "@/prisma/generated/enums";
import { applyMigrations } from "@/prisma/migrate";
import { grantApplicationRole } from "@/prisma/roles";
import { withBootLock } from "../boot-lock";
import { backUp } from "./back-up";
import { examine } from "./doctor";
import { restore } from "./restore";

/** The command line is not valid. */
export class UsageError extends Error {}

type Values = Record<string, string | undefined>;
type Result = { output: string | object; exitCode?: number };
type Command = {
  usage: string;
  options: string[];
  /** Options without a value. */
  flags?: string[];
  /** Runs before there is a database. */
  needsNoDatabase?: boolean;
  run: (values: Values) => Promise<Result>;
};

const operator = (partition: Partition): Identity => ({
  partition,
  actor: { type: "OPERATOR", id: "admin" },
  request: null,
  address: null,
});

export const commands: Record<string, Command> = {
  "tenant:create": {
    usage: "tenant:create --name <name> [--slug <slug>] [--plan FREE|PRO|SCALE]",
    options: ["name", "slug", "plan"],
    run: async (values) => {
      const name = required(values, "name");
      const plan = planOf(values.plan ?? "FREE");
      const slug = values.slug?.trim() || undefined;
      return { output: await createNewTenant({ name, slug, plan }) };
    },
  },
  "tenant:list": {
    usage: "tenant:list",
    options: [],
    run: async () => ({ output: { tenants: await listTenants() } }),
  },
  "tenant:set-plan": {
    usage: "tenant:set-plan --tenant <slug> --plan FREE|PRO|SCALE",
    options: ["tenant", "plan"],
    run: async (values) => {
      const tenant = await requireTenant(required(values, "tenant"));
      const plan = planOf(required(values, "plan"));
      const identity = operator({ tenantId: tenant.id, environment: "test" });
      const { id, name, slug } = await mutate(identity, (caller) => setPlan(caller, plan));
      return { output: { id, name, slug, plan, previousPlan: tenant.plan } };
    },
  },
  "tenant:delete": {
    usage: "tenant:delete --tenant <slug> --confirm <slug>",
    options: ["tenant", "confirm"],
    run: async (values) => {
      const { id, name, slug } = await requireTenant(required(values, "tenant"));
      const identity = operator({ tenantId: id, environment: "test" });
      await mutate(identity, (caller) => deleteOrganization(caller, required(values, "confirm")));
      return { output: { id, name, slug, deletion: "requested" } };
    },
  },
  "tenant:move": {
    usage:
      "tenant:move --tenant <slug> --origin <URL of the target's web> [--to <DATABASE_URL of the target>] [--from <DATABASE_URL for the target's PostgreSQL>] [--max-stop <seconds>] [--settle <seconds>] [--abort] [--forget-copy], with MOVE_TO_DATABASE_URL and MOVE_FROM_DATABASE_URL instead of --to and --from, so that no other user sees their passwords",
    options: ["tenant", "to", "origin", "from", "max-stop", "settle"],
    flags: ["abort", "forget-copy"],
    run: async (values) => {
      if (values["forget-copy"]) {
        const slug = required(values, "tenant");
        return { output: await forgetCopy({ slug, sourceUrl: sourceOfMove() }) };
      }
      const options = moveOptions(values);
      const output = values.abort ? await abortMove(options) : await moveTenant(options);
      return { output };
    },
  },
  "key:create": {
    usage:
      "key:create --tenant <slug> --environment test|live --name <name> [--scopes all|<list>] [--rate-limit <a minute>]",
    options: ["tenant", "environment", "scopes", "rate-limit", "name"],
    run: createKey,
  },
  "key:list": {
    usage: "key:list --tenant <slug> --environment test|live",
    options: ["tenant", "environment"],
    run: async (values) => ({ output: { keys: await listKeys(values) } }),
  },
  "key:roll": {
    usage: "key:roll --id <key id> [--overlap now|1h|24h|7d]",
    options: ["id", "overlap"],
    run: async (values) => {
      const id = required(values, "id");
      const overlap = oneOf("overlap", values.overlap ?? "24h", Object.keys(overlaps) as Overlap[]);
      const partition = await partitionOfApiKey(id);
      const { apiKey, key, replaced } = await mutate(operator(partition), (caller) =>
        rollApiKey(caller, id, overlap),
      );
      const { name, hint } = apiKey;
      return {
        output: {
          key,
          id: apiKey.id,
          name,
          hint,
          replaced: { id, hint: replaced.hint, expiresAt: replaced.expiresAt },
        },
      };
    },
  },
  "key:revoke": {
    usage: "key:revoke --id <key id>",
    options: ["id", "key-id"],
    run: async (values) => {
      const id = values["key-id"] ?? required(values, "id");
      const partition = await partitionOfApiKey(id);
      const revoked = await mutate(operator(partition), (caller) => revokeApiKey(caller, id));
      return {
        output: {
          id: revoked.id,
          name: revoked.name,
          hint: revoked.hint,
          revokedAt: revoked.revokedAt,
        },
      };
    },
  },
  "webhook:list": {
    usage: "webhook:list [--tenant <slug>]",
    options: ["tenant"],
    run: async (values) => {
      const tenant = values.tenant === undefined ? undefined : await requireTenant(values.tenant);
      return { output: { webhooks: await listAllWebhooks(tenant?.id) } };
    },
  },
  "secrets:reencrypt": {
    usage: "secrets:reencrypt",
    options: [],
    run: async () => {
      const done = await reencryptSecrets();
      const isComplete = Object.values(done).every(
        ({ unopened }) => Object.keys(unopened).length === 0,
      );
      return {
        output: { masterKey: env().SECRET_KEYS[0]?.id, ...done },
        exitCode: isComplete ? 0 : 1,
      };
    },
  },
  "events:rebase": {
    usage: "events:rebase",
    options: [],
    run: async () => ({ output: { events: await rebaseEvents() } }),
  },
  "audit:verify": {
    usage: "audit:verify --tenant <slug> [--anchors <file>]",
    options: ["tenant", "anchors"],
    run: async (values) => {
      const tenant = await requireTenant(required(values, "tenant"));
      const finding = await verifyChainOf(db(), tenant.id, values.anchors);
      return { output: { tenant: tenant.slug, ...finding }, exitCode: finding.broken ? 1 : 0 };
    },
  },
  "audit:verify-receipts": {
    usage: "audit:verify-receipts [--anchors <file>]",
    options: ["anchors"],
    run: async (values) => {
      const finding = await verifyReceipts(db(), values.anchors);
      const inProgress = await db().tenantDeletion.count();
      return { output: { ...finding, inProgress }, exitCode: finding.broken ? 1 : 0 };
    },
  },
  "owner:create": {
    usage: "owner:create --email <address> --organization <name> [--name <name>]",
    options: ["email", "organization", "name"],
    run: async (values) => {
      const input = newOwnerInput.safeParse({
        email: required(values, "email"),
        organization: required(values, "organization"),
        name: values.name ?? "Owner",
      });
      if (!input.success)
        throw new UsageError(
          input.error.issues
            .map((issue) => `--${issue.path.join(".")} ${predicateOf(issue)}`)
            .join("\n"),
        );
      const { email } = input.data;
      const { tenant } = await db().$transaction(async (transaction) => {
        if (await findUserByEmail(transaction, email))
          throw new Error(`There is already an account with the address ${email}.`);
        return createOwner(transaction, input.data);
      });
      const { id, slug, name, plan, createdAt } = tenant;
      const organization = { id, slug, name, plan, createdAt };
      return { output: { email, organization, setPassword: await createPasswordReset(email) } };
    },
  },
  "user:reset-password": {
    usage: "user:reset-password --email <address>",
    options: ["email"],
    run: async (values) => {
      const email = required(values, "email").toLowerCase();
      const made = await createPasswordReset(email);
      if (!made) throw new Error(`There is no account with the address ${email}.`);
      return { output: made };
    },
  },
  "user:remove-second-factor": {
    usage: "user:remove-second-factor --email <address>",
    options: ["email"],
    run: async (values) => {
      const email = required(values, "email").toLowerCase();
      const isRemoved = await removeSecondFactor(email);
      if (isRemoved === null) throw new Error(`There is no account with the address ${email}.`);
      return { output: { email, removed: isRemoved } };
    },
  },
  migrate: {
    usage: "migrate",
    options: [],
    run: async () => {
      const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL } = env();
      const ownerUrl = process.env.MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL;
      // Every replica of a rollout may run this. All but one find nothing left to do.
      const applied = await withBootLock(ownerUrl, async () => {
        const names = await applyMigrations(ownerUrl);
        await grantApplicationRole(ownerUrl, DATABASE_URL);
        return names;
      });
      return { output: { applied } };
    },
  },
  backup: {
    usage: "backup --to <new directory> [--with-keys]",
    options: ["to"],
    flags: ["with-keys"],
    run: async (values) => ({
      output: await backUp(required(values, "to"), { withKeys: values["with-keys"] === "true" }),
    }),
  },
  restore: {
    usage: "restore --from <directory of a backup>",
    options: ["from"],
    needsNoDatabase: true,
    run: async (values) => ({ output: await restore(required(values, "from")) }),
  },
  "exposure:reset": {
    usage: "exposure:reset",
    options: [],
    run: async () => {
      const reason = loopbackClosedBecause();
      return { output: { wasClosed: resetExposure(), reason } };
    },
  },
  doctor: {
    usage: "doctor [--json]",
    options: [],
    run: async ({ json }) => {
      const findings = await examine();
      const exitCode = findings.some(({ problem }) => problem) ? 1 : 0;
      if (json) return { output: { findings }, exitCode };
      const lines = findings.map(
        ({ subject, problem, fact }) =>
          `${problem ? "WRONG" : "ok   "}  ${subject}: ${problem ?? fact}\n`,
      );
      return { output: lines.join(""), exitCode };
    },
  },
};

async function createKey(values: Values): Promise<Result> {
  const slug = required(values, "tenant");
  const environment = oneOf("environment", required(values, "environment"), [
    "test",
    "live",
  ] as const);
  const wanted = (values.scopes ?? "all").trim();
  const rateLimit = values["rate-limit"];
  const input = createApiKeyInput.safeParse({
    name: values.name ?? "Created by an operator",
    scopes: wanted === "all" ? [...scopes] : wanted.split(",").map((scope) => scope.trim()),
    rateLimitPerMinute: rateLimit === undefined ? null : Number(rateLimit),
  });
  if (!input.success) {
    const problems = input.error.issues.map(
      (issue) => `${issue.path.join(".")} ${predicateOf(issue)}`,
    );
    throw new UsageError(`${problems.join("\n")}\nScopes: all, or some of ${scopes.join(",")}`);
  }

  const tenant = await requireTenant(slug);
  const identity = operator({ tenantId: tenant.id, environment });
  const { apiKey, key } = await mutate(identity, (caller) => createApiKey(caller, input.data));
  const { id, name, hint, rateLimitPerMinute, createdAt } = apiKey;
  return {
    output: {
      key,
      id,
      tenant: slug,
      environment,
      name,
      hint,
      scopes: apiKey.scopes,
      rateLimitPerMinute,
      createdAt,
    },
  };
}

/** A script that runs twice must not create a second organization. */
async function createNewTenant({
  name,
  slug,
  plan,
}: {
  name: string;
  slug: string | undefined;
  plan: Plan;
}) {
  const existing = (await listTenants()).find((tenant) =>
    slug === undefined ? tenant.name === name : tenant.slug === slug,
  );
  if (existing && slug === undefined)
    throw new Error(
      `There is already a tenant named "${name}", with the slug ${existing.slug}. To create another one, add --slug <slug>.`,
    );
  if (existing) throw new Error(`There is already a tenant with the slug ${slug}.`);
  return db().$transaction(async (transaction) => {
    const tenant = await createTenant(transaction, { name, plan, ...(slug && { slug }) });
    if (slug && tenant.slug !== slug)
      throw new UsageError(`--slug ${slug} cannot be used. Try ${tenant.slug}.`);
    return tenant;
  });
}

async function listKeys(values: Values) {
  const tenant = await requireTenant(required(values, "tenant"));
  const environment = oneOf("environment", required(values, "environment"), [
    "test",
    "live",
  ] as const);
  const caller = reader(operator({ tenantId: tenant.id, environment }));
  // An environment has at most 100 valid keys.
  const { data } = await listApiKeys(caller, { limit: 100, order: "desc" });
  return data.map(({ id, name, hint, scopes: allowed, expiresAt, revokedAt, lastUsedAt }) => ({
    ...{ id, name, hint, scopes: allowed, expiresAt, revokedAt, lastUsedAt },
  }));
}

function sourceOfMove(): string {
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL } = env();
  return process.env.MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL;
}

function moveOptions(values: Values): MoveOptions {
  const sourceUrl = sourceOfMove();
  const targetUrl = values.to?.trim() || process.env.MOVE_TO_DATABASE_URL;
  if (!targetUrl)
    throw new UsageError("Set MOVE_TO_DATABASE_URL to the target's database, or give --to.");
  const isAbort = values.abort === "true";
  const origin = URL.parse(isAbort ? "http://localhost" : required(values, "origin"));
  if (!origin || !/^https?:$/.test(origin.protocol))
    throw new UsageError("--origin must be a URL, for example https://b.example.com.");
  const seconds = (option: string, standard: number) => {
    const value = Number(values[option] ?? standard);
    if (value >= 1 && value <= 3_600) return value;
    throw new UsageError(`--${option} must be a number of seconds from 1 to 3600.`);
  };
  return {
    slug: required(values, "tenant"),
    sourceUrl,
    replicationUrl: values.from ?? (process.env.MOVE_FROM_DATABASE_URL || sourceUrl),
    targetUrl,
    origin: origin.origin,
    maximumStopMs: seconds("max-stop", 30) * 1_000,
    settleMs: seconds("settle", 150) * 1_000,
    report: (step) => process.stderr.write(`${step}\n`),
  };
}

async function requireTenant(slug: string) {
  const tenant = await findTenantBySlug(slug);
  if (!tenant)
    throw new Error(
      `No tenant has the slug "${slug}". Create it with: npm run admin -- tenant:create --name "${slug}"`,
    );
  if (tenant.movedTo)
    throw new Error(`The tenant "${slug}" was moved to ${tenant.movedTo}. Run the command there.`);
  return tenant;
}

function required(values: Values, option: string): string {
  const value = values[option]?.trim();
  if (!value) throw new UsageError(`Give --${option}.`);
  return value;
}

const planOf = (text: string): Plan =>
  oneOf("plan", text.toUpperCase(), Object.keys(planRateLimits) as Plan[]);

function oneOf<Choice extends string>(
  option: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const chosen = choices.find((choice) => choice === value);
  if (!chosen)
    throw new UsageError(`--${option} must be one of ${choices.join(", ")}, not "${value}".`);
  return chosen;
}
