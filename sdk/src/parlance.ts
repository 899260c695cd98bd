import { accountOf, usageOf } from "./account";
import { agentsOf } from "./agents";
import { type Caller, callerOf } from "./call";
import { conversationsOf } from "./conversations";
import { customersOf, erasuresOf } from "./customers";
import { ParlanceError } from "./errors";
import { eventsOf } from "./events";
import { filesOf } from "./files";
import { knowledgeOf } from "./knowledge";
import { knowledgeBasesOf } from "./knowledge-bases";
import { membersOf } from "./members";
import { requestLogsOf } from "./request-logs";
import type { ApiPromise } from "./responses";
import { type Hooks, type RequestOptions, type Wait, wait } from "./transport";
import { webhooksOf } from "./webhook-subscriptions";

export type ParlanceOptions = {
  /**
   * The URL of the service. Default: the environment variable `PARLANCE_BASE_URL`, or else
   * http://localhost:3000.
   */
  baseUrl?: string | undefined;
  /** Milliseconds for each attempt, including the whole response. Default: 30,000. */
  timeout?: number | undefined;
  /** Attempts after the first one. Default: 2. */
  maxRetries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Sent with every request. They cannot replace the headers of the client itself. */
  defaultHeaders?: Record<string, string> | undefined;
  /** Gets a line for each attempt, without bodies and keys. For example `console`. */
  logger?: { debug(message: string): void } | undefined;
  /** Replaces the timer between attempts, for tests that do not want to wait. */
  wait?: Wait | undefined;
} & Hooks;

const defaultTimeoutMs = 30_000;
const defaultMaxRetries = 2;

/**
 * The client for one environment of a tenant, live or test, which the API key determines. Use it
 * only on a server: anyone who has the key can do everything that its scopes allow.
 *
 * ```ts const parlance = new Parlance("prl_test_…", { baseUrl: "https://parlance.example.com" });
 * for await (const conversation of parlance.conversations.list({ status: "OPEN" }))
 * console.log(conversation.id); ```
 */
export class Parlance {
  readonly #caller: Caller;
  /** The key's environment. `test` is never billed and has no access to `live` data. */
  readonly environment: "live" | "test";
  readonly conversations: ReturnType<typeof conversationsOf>;
  readonly files: ReturnType<typeof filesOf>;
  readonly customers: ReturnType<typeof customersOf>;
  readonly erasures: ReturnType<typeof erasuresOf>;
  readonly agents: ReturnType<typeof agentsOf>;
  readonly knowledge: ReturnType<typeof knowledgeOf>;
  readonly knowledgeBases: ReturnType<typeof knowledgeBasesOf>;
  readonly webhooks: ReturnType<typeof webhooksOf>;
  readonly events: ReturnType<typeof eventsOf>;
  readonly members: ReturnType<typeof membersOf>;
  readonly requestLogs: ReturnType<typeof requestLogsOf>;
  readonly usage: ReturnType<typeof usageOf>;
  readonly account: ReturnType<typeof accountOf>;

  /**
   * @throws ParlanceError if `apiKey` does not look like an API key, or `baseUrl` is not an http or
   * https URL
   */
  constructor(apiKey: string | undefined, options: ParlanceOptions = {}) {
    const [, environment] = /^\w+_(live|test)_\w+$/.exec(apiKey ?? "") ?? [];
    if (!apiKey || !environment)
      throw new ParlanceError(
        "The API key is missing or malformed. API keys look like prl_test_… or prl_live_….",
      );
    const {
      baseUrl = defaultBaseUrl(),
      timeout = defaultTimeoutMs,
      maxRetries = defaultMaxRetries,
      fetch = globalThis.fetch,
    } = options;
    const caller = callerOf({
      apiKey,
      baseUrl: originOf(baseUrl),
      timeoutMs: timeout,
      maxRetries,
      // The `fetch` of browsers fails if it is called as a method of another object.
      fetch: (input, init) => fetch(input, init),
      wait: options.wait ?? wait,
      defaultHeaders: options.defaultHeaders ?? {},
      onRequest: options.onRequest,
      onResponse: withLogger(options),
    });
    this.#caller = caller;
    this.environment = environment as "live" | "test";
    this.conversations = conversationsOf(caller);
    this.files = filesOf(caller);
    this.customers = customersOf(caller);
    this.erasures = erasuresOf(caller);
    this.agents = agentsOf(caller);
    this.knowledge = knowledgeOf(caller);
    this.knowledgeBases = knowledgeBasesOf(caller);
    this.webhooks = webhooksOf(caller);
    this.events = eventsOf(caller);
    this.members = membersOf(caller);
    this.requestLogs = requestLogsOf(caller);
    this.usage = usageOf(caller);
    this.account = accountOf(caller);
  }

  /**
   * Calls an operation that has no method here, with the same retries and errors.
   * @param path the part after `/v1/public`, for example `/account`
   */
  request<Data = unknown>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: `/${string}`,
    input: { query?: object; body?: unknown } = {},
    options: RequestOptions = {},
  ): ApiPromise<Data> {
    return this.#caller.request<Data>(`${method} ${path}`, input, options);
  }
}

function withLogger({ logger, onResponse }: ParlanceOptions): Hooks["onResponse"] {
  if (!logger) return onResponse;
  return (received) => {
    const { method, url, attempt, durationMs, status, requestId, error } = received;
    const outcome = status ?? (error as Error).name;
    const id = requestId ? ` ${requestId}` : "";
    logger.debug(
      `${method} ${new URL(url).pathname} ${outcome} ${Math.round(durationMs)} ms, attempt ${attempt}${id}`,
    );
    onResponse?.(received);
  };
}

/** The part of the address before `/v1/public`, which may be included and is then dropped. */
function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new ParlanceError(
      `baseUrl must be an http or https URL such as https://parlance.example.com, and not ${JSON.stringify(baseUrl)}.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1(\/public)?$/, "")}`;
}

function defaultBaseUrl(): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.PARLANCE_BASE_URL || "http://localhost:3000";
}
