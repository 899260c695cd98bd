import { createHash } from "node:crypto";
import path from "node:path";
import { z } from "zod";
import {
  auditKeys,
  commaList,
  flag,
  httpUrl,
  retrySchedule,
  secretKeys,
  share,
  wholeNumber,
} from "./env-values";
import { logAreas, parseLogLevels } from "./log";
import { isLoopbackUrl } from "./loopback";

/** Seconds from each failure to the next attempt: 30 s, 2 min, 10 min, 30 min, 2 h, 8 h, 24 h. */
const defaultRetrySchedule = "30,120,600,1800,7200,28800,86400";

/** Counted from the sign-in, no matter how active the session is. */
export const sessionLifetimeHours = 12;

const schema = z
  .object({
    NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
    /** A level, and levels of areas behind it: `info,deliveries=debug`. Read by log.ts. */
    LOG_LEVEL: z
      .string()
      .default("info")
      .refine((text) => parseLogLevels(text), {
        message: `give trace, debug, info, warn, error, fatal or silent, optionally followed by levels of areas (${logAreas.join(", ")}), for example info,deliveries=debug`,
      }),
    PORT: wholeNumber(0, 65_535).default(3000),
    /** The address to listen on. Unset: all addresses of this machine. */
    HOST: z.string().min(1).optional(),
    /** Serves metrics for Prometheus on this port. Unset: nothing is measured. */
    METRICS_PORT: wholeNumber(1, 65_535).optional(),
    METRICS_HOST: z.string().min(1).default("127.0.0.1"),
    /** An OpenTelemetry collector that receives traces over OTLP/HTTP. Unset: nothing is traced. */
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
    /** The share of requests that are traced. */
    OTEL_TRACES_SAMPLER_ARG: share.default(1),
    /** Sends receivers of webhooks the `traceparent` of the delivery attempt. */
    WEBHOOK_TRACEPARENT: flag.default(false),
    /** The address that tenants and browsers use. */
    APP_URL: httpUrl.optional(),
    DATABASE_URL: z
      .string({
        message:
          "give the address of a PostgreSQL database, postgresql://user:password@host:5432/name",
      })
      .regex(/^postgres(ql)?:\/\//, {
        message:
          "give the address of a PostgreSQL database, postgresql://user:password@host:5432/name",
      }),
    /**
     * PostgreSQL's own address, not a pooler's, for what needs its own session: the worker,
     * notifications and migrations.
     */
    DATABASE_DIRECT_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, {
        message: "give PostgreSQL's own address, postgresql://user:password@host:5432/name",
      })
      .optional(),
    /** A streaming replica for lists, searches, request logs and exports. Unset: the primary. */
    DATABASE_REPLICA_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, {
        message:
          "give the address of a streaming replica, postgresql://user:password@host:5432/name",
      })
      .optional(),
    /** Connections of one process. Unset: the budget of its role in connection-budget.ts. */
    DATABASE_POOL_SIZE: wholeNumber(1, 500).optional(),
    /**
     * How long one statement may run. A connection that has been silent for a second longer is
     * discarded.
     */
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 3_600_000).default(7_000),
    /**
     * How long web still accepts requests after SIGTERM, while `/ready` says that it is about to stop.
     */
    SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 600).default(0),
    /** How long a process may then take to stop. */
    SHUTDOWN_TIMEOUT_SECONDS: wholeNumber(1, 3_600).default(15),
    /** The first part of every API key: `<prefix>_live_…`. */
    SERVICE_PREFIX: z
      .string()
      .regex(/^[a-z][a-z0-9]{1,11}$/, { message: "use 2 to 12 lower-case letters and digits" })
      .default("prl"),
    /** Error types are `{ERROR_BASE}/errors/<kind>`. */
    ERROR_BASE: httpUrl.optional(),
    /** How many proxies in front of this server are trusted to state the client's address. */
    TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
    UPSTASH_REDIS_REST_URL: z
      .string()
      .refine((url) => !/^rediss?:/.test(url), {
        message:
          "give the http or https address of Upstash's REST API, or of a REST bridge in front of your own Redis, not the address of Redis",
        abort: true,
      })
      .pipe(httpUrl)
      .optional(),
    UPSTASH_REDIS_REST_TOKEN: z.string().min(1).optional(),
    /**
     * This is the only worker on this database, so leases found at startup belong to a killed
     * worker.
     */
    SOLE_WORKER: flag.default(false),
    JOBS: z.enum(["embedded", "inngest"]).optional(),
    INNGEST_EVENT_KEY: z.string().min(1).optional(),
    INNGEST_SIGNING_KEY: z.string().min(1).optional(),
    /** Inngest's SDK uses 0 for "cloud". */
    INNGEST_DEV: z
      .string()
      .transform((text) => (text === "0" || text === "false" ? undefined : text))
      .optional(),
    INNGEST_BASE_URL: httpUrl.optional(),
    /** Which processes run Inngest's functions. Inngest calls the web, and the worker connects to it. */
    INNGEST_FUNCTIONS: z.enum(["web", "worker"]).default("web"),
    /** The address that the worker connects to, instead of the one that Inngest returns. */
    INNGEST_CONNECT_GATEWAY_URL: z
      .url({
        protocol: /^wss?$/,
        message: "give an address like wss://inngest.example.com/v0/connect",
      })
      .optional(),
    /** Where Inngest reaches the app, if not at APP_URL. */
    INNGEST_SERVE_ORIGIN: httpUrl.optional(),
    WEBHOOK_RETRY_SCHEDULE: retrySchedule(defaultRetrySchedule),
    /**
     * How many deliveries one worker sends concurrently. A hanging delivery costs little more than
     * a socket, so the limit is high.
     */
    DELIVERY_CONCURRENCY: wholeNumber(1, 10_000).default(1_024),
    /** The most concurrent deliveries to one webhook, once it has proved reliable. */
    DELIVERY_CONCURRENCY_PER_WEBHOOK: wholeNumber(1, 1_000).default(128),
    /**
     * Private networks that webhooks may reach, for development and tests. Never includes cloud
     * metadata addresses.
     */
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: z.string().default("").transform(commaList),
    /**
     * Set by `npm start` for trying the product out. The first request through a proxy closes
     * loopback.
     */
    LOOPBACK_WEBHOOKS: flag.default(false),
    /** Master keys for secrets at rest. The first encrypts, all decrypt. */
    SECRET_KEYS: secretKeys,
    /**
     * Starts even if no key in SECRET_KEYS opens the stored secrets, because the key is lost for
     * good.
     */
    ACCEPT_LOST_SECRET_KEYS: flag.default(false),
    /** Keys that seal the audit log's entries. The first seals new entries, all verify. */
    AUDIT_KEYS: auditKeys.optional(),
    /**
     * The file outside the database that records the head of each audit log. Unset: a file in
     * DATA_DIR.
     */
    AUDIT_ANCHOR_FILE: z.string().min(1).optional(),
    /** A URL that receives the same as JSON. */
    AUDIT_ANCHOR_URL: httpUrl.optional(),
    /** Where this installation stores data on disk, including documents' files. */
    DATA_DIR: z.string().min(1).default(".data"),
    /**
     * Where documents' files are stored, and where they arrive before they go to S3. Unset: `blobs`
     * in DATA_DIR.
     */
    BLOB_DIRECTORY: z.string().min(1).optional(),
    /** If set, documents' files are stored in this bucket instead of on disk. */
    S3_BUCKET: z.string().min(3).optional(),
    /** For a store other than Amazon's. */
    S3_ENDPOINT: httpUrl.optional(),
    S3_REGION: z.string().min(1).default("us-east-1"),
    /** Unset: the AWS SDK's default credentials. */
    S3_ACCESS_KEY_ID: z.string().min(1).optional(),
    S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
    /** smtp://user:password@host:587, or smtps:// for TLS from the first byte. */
    SMTP_URL: z
      .url({
        protocol: /^smtps?$/,
        message: "give an address such as smtp://user:password@mail.example.com:587",
      })
      .optional(),
    /** The sender of mails: an address, or a name and an address. */
    MAIL_FROM: z
      .string()
      .regex(/^([^<>\r\n]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/, {
        message: "give an address such as no-reply@example.com or Parlance <no-reply@example.com>",
      })
      .optional(),
    /** Without SMTP, shows mails at /dev/mail, to browsers on this machine. */
    MAIL_PAGE: flag.optional(),
    /** The token that the URL of that page must contain. `npm start` generates one. */
    MAIL_PAGE_TOKEN: z
      .string()
      .min(16, { message: "give at least 16 random characters" })
      .optional(),
    GITHUB_CLIENT_ID: z.string().min(1).optional(),
    GITHUB_CLIENT_SECRET: z.string().min(1).optional(),
    /** For a GitHub Enterprise Server. */
    GITHUB_URL: httpUrl.default("https://github.com"),
    GOOGLE_CLIENT_ID: z.string().min(1).optional(),
    GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
    /** Google, or a substitute that serves /.well-known/openid-configuration. */
    GOOGLE_ISSUER: httpUrl.default("https://accounts.google.com"),
    /** An unused session ends after this time. The default is its whole lifetime. */
    SESSION_IDLE_HOURS: wholeNumber(1, sessionLifetimeHours).default(sessionLifetimeHours),
    NEXTAUTH_URL: httpUrl.optional(),
    NEXTAUTH_SECRET: z
      .string()
      .min(32, {
        message: "give at least 32 random characters, for example from `openssl rand -base64 32`",
      })
      .optional(),
  })
  .superRefine((value, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: "custom", path: [name], message });

    if (!value.UPSTASH_REDIS_REST_URL !== !value.UPSTASH_REDIS_REST_TOKEN) {
      refuse(
        "UPSTASH_REDIS_REST_TOKEN",
        "set both UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, or neither",
      );
    }
    if (!value.S3_ACCESS_KEY_ID !== !value.S3_SECRET_ACCESS_KEY) {
      refuse(
        "S3_SECRET_ACCESS_KEY",
        "set both S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or neither",
      );
    }
    if (!value.S3_BUCKET && (value.S3_ENDPOINT || value.S3_ACCESS_KEY_ID))
      refuse("S3_BUCKET", "is missing: name the bucket for files");
    if (!value.SMTP_URL !== !value.MAIL_FROM) {
      refuse(
        value.SMTP_URL ? "MAIL_FROM" : "SMTP_URL",
        "is missing: set both SMTP_URL and MAIL_FROM, or neither",
      );
    }
    for (const provider of ["GITHUB", "GOOGLE"] as const) {
      const [id, secret] = [`${provider}_CLIENT_ID`, `${provider}_CLIENT_SECRET`] as const;
      if (!value[id] !== !value[secret])
        refuse(value[id] ? secret : id, `is missing: set both ${id} and ${secret}, or neither`);
    }
    if (value.WEBHOOK_TRACEPARENT && !value.OTEL_EXPORTER_OTLP_ENDPOINT)
      refuse(
        "WEBHOOK_TRACEPARENT",
        "needs traces: set OTEL_EXPORTER_OTLP_ENDPOINT to the address of a collector",
      );
    if (value.MAIL_PAGE && !value.MAIL_PAGE_TOKEN)
      refuse(
        "MAIL_PAGE_TOKEN",
        "is missing: MAIL_PAGE needs a token of at least 16 random characters",
      );
    if (
      value.MAIL_PAGE &&
      [value.APP_URL, value.NEXTAUTH_URL].some((url) => url && !isLoopbackUrl(url))
    ) {
      refuse(
        "MAIL_PAGE",
        "works only where APP_URL and NEXTAUTH_URL name this machine (localhost): set SMTP_URL and MAIL_FROM instead",
      );
    }
    if (
      value.JOBS === "inngest" &&
      !value.INNGEST_DEV &&
      !(value.INNGEST_EVENT_KEY && value.INNGEST_SIGNING_KEY)
    ) {
      refuse(
        "JOBS",
        "inngest needs INNGEST_EVENT_KEY and INNGEST_SIGNING_KEY (or INNGEST_DEV in development)",
      );
    }
    if (value.NODE_ENV === "production") {
      if (!value.AUDIT_KEYS)
        refuse(
          "AUDIT_KEYS",
          "is required in production: the base64 of 32 bytes, the same on every machine",
        );
      if (!value.NEXTAUTH_SECRET)
        refuse("NEXTAUTH_SECRET", "is required in production: at least 32 random characters");
      if (!value.NEXTAUTH_URL)
        refuse("NEXTAUTH_URL", "is required in production: the address at which users sign in");
      // With it, anyone could run jobs with an unsigned request.
      if (value.INNGEST_DEV)
        refuse(
          "INNGEST_DEV",
          "must not be set in production, because it disables signature checks",
        );
    }
  })
  .transform((value) => {
    const appUrl = value.APP_URL ?? value.NEXTAUTH_URL ?? `http://localhost:${value.PORT}`;
    const isInngestConfigured = Boolean(
      value.INNGEST_DEV || (value.INNGEST_EVENT_KEY && value.INNGEST_SIGNING_KEY),
    );
    return {
      ...value,
      APP_URL: appUrl,
      ERROR_BASE: value.ERROR_BASE ?? `${appUrl}/docs`,
      // Outside production, deriving the keys saves a setting.
      AUDIT_KEYS:
        value.AUDIT_KEYS ??
        value.SECRET_KEYS.map(({ key }) =>
          createHash("sha256").update("audit").update(key).digest(),
        ),
      AUDIT_ANCHOR_FILE: path.resolve(
        value.AUDIT_ANCHOR_FILE ?? path.join(value.DATA_DIR, "audit-anchors.jsonl"),
      ),
      BLOB_DIRECTORY: path.resolve(value.BLOB_DIRECTORY ?? path.join(value.DATA_DIR, "blobs")),
      MAIL_PAGE: value.MAIL_PAGE ?? (value.NODE_ENV !== "production" && isLoopbackUrl(appUrl)),
      JOBS: value.JOBS ?? (isInngestConfigured ? ("inngest" as const) : ("embedded" as const)),
    };
  });

export type Env = z.output<typeof schema>;

/** Empty values count as absent, so that `NAME=` in a file unsets a variable. */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const present = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;

  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment is not valid:\n${lines.join("\n")}`);
}

let parsed: Env | undefined;

/**
 * The environment, parsed once at the first call. Not at import, because Next loads every route at
 * build time, when nothing is configured yet. Each process calls it first, so it refuses to start
 * with an invalid value.
 */
export function env(): Env {
  parsed ??= parseEnv(process.env);
  return parsed;
}
