import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { createTenant } from "@/lib/tenants/service";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase, type Postgres } from "@/server/embedded/postgres";

// The setup of every benchmark: a database, tenants in it, and processes of the product.

/** The options of the command line. */
export type Sizes = {
  rounds: number;
  seconds: number;
  connections: number;
  conversations: number;
  deliveries: number;
  /** Rows in the large tables. */
  large: number;
  /** Drives only the servers with this in their name. */
  only: string | undefined;
  /** Measures only the operations with one of these, separated by commas, in their name. */
  operations: string | undefined;
};

/** The settings of a process of the product. */
export type Environment = Record<string, string>;

export const median = (values: number[]): number => percentile(values, 0.5);

export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** Creates and migrates a database, and makes this process use it. */
export async function prepareDatabase(postgres: Postgres, name: string): Promise<Environment> {
  await ensureDatabase(postgres, name);
  await applyMigrations(postgres.url(name));
  const environment = {
    NODE_ENV: "production",
    LOG_LEVEL: "error",
    DATABASE_URL: postgres.url(name),
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
    AUDIT_KEYS: randomBytes(32).toString("base64"),
    NEXTAUTH_URL: "http://localhost:4803",
    HOST: "127.0.0.1",
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
  };
  Object.assign(process.env, environment);
  return environment;
}

export type Tenant = { partition: Partition; key: string };

export async function newTenant(): Promise<Tenant> {
  const { id } = await createTenant(db(), { name: `Bench ${randomBytes(4).toString("hex")}` });
  const partition = { tenantId: id, environment: "live" as const };
  const { key } = await mutate(system(partition), (caller) =>
    createApiKey(caller, { name: "bench", scopes: [...scopes], rateLimitPerMinute: 1_000_000 }),
  );
  return { partition, key };
}

/** The id of the nth conversation: ids count up, so that each can be named. */
export async function seedConversations(
  tenantId: string,
  count: number,
): Promise<(n: number) => string> {
  await db().$executeRaw`
    INSERT INTO conversations (tenant_id, environment, id, channel_id, tags, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'cnv_01' || lpad(upper(to_hex(n)), 24, '0'), 'web', '{}', now(), now()
    FROM generate_series(1, ${count}) AS n`;
  return (n) => `cnv_01${n.toString(16).toUpperCase().padStart(24, "0")}`;
}

export async function seedCustomers(tenantId: string, externalIds: string[]): Promise<void> {
  await db().$executeRaw`
    INSERT INTO customers (tenant_id, environment, id, external_id, name, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'cus_01' || lpad(upper(to_hex(n)), 24, '0'), external_id, 'Ada', now(), now()
    FROM unnest(${externalIds}::text[]) WITH ORDINALITY AS u (external_id, n)`;
}

export type Running = { pid: number; child: ChildProcess; stop: () => Promise<void> };

/** Starts a program of this project, and resolves once `isUp` returns true. */
export async function start(
  command: string[],
  environment: Environment,
  isUp: () => Promise<boolean>,
): Promise<Running> {
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended before it was ready`);
    await sleep(50);
  }
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { pid: child.pid ?? 0, child, stop };
}

/** Whether a URL responds with success. */
export const responds =
  (url: string, headers: Record<string, string> = {}) =>
  (): Promise<boolean> =>
    fetch(url, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
