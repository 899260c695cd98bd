import { createHash, randomBytes } from "node:crypto";
import type { WebhookEvent } from "../src/index";
import { signTestWebhook } from "../src/webhooks";
import { apiKeyOf, type Command, clientOf, textOf, UsageError } from "./command";
import { changeConfig, readConfig } from "./config";
import { follow, followOptions, followQuery, lineOf } from "./events";

/** As long as a webhook waits for a response. */
const timeoutMs = 10_000;

type Forwarded = { status: number | null; latencyMs: number; error: string | null };

export const listen: Command = {
  name: "listen",
  summary: "Forward events to a receiver on your machine, signed like webhooks",
  isEndless: true,
  options: {
    "forward-to": { value: "url", description: "the receiver, such as http://localhost:4000/hook" },
    ...followOptions,
    resume: { description: "continue after the last event that was forwarded with this key" },
    secret: {
      value: "whsec_…",
      description: "signs the events. Default: a secret of this machine, which is printed",
    },
    live: { description: "allow a live key" },
  },
  details: `Events are forwarded one at a time, in order. A failed one is shown and not sent again.
The command reconnects by itself and misses nothing. It needs a key with read:webhooks.`,
  run: async (input) => {
    const { values, output, signal } = input;
    const url = receiverOf(textOf(values, "forward-to"));
    const givenSecret = await checkedSecret(textOf(values, "secret"));
    const apiKey = apiKeyOf(values);
    const client = clientOf(values);
    if (client.environment === "live" && values.live !== true)
      throw new UsageError(
        "This key is live: its events are about real customers. Use a test key, or add --live.",
        listen,
      );
    const key = createHash("sha256").update(apiKey).digest("hex").slice(0, 16);
    const secret = givenSecret ?? ownSecret();
    const query = followQuery(values);
    const cursor = query.cursor ?? (values.resume ? readConfig().lastForwarded?.[key] : undefined);
    output.note(`The signing secret is ${secret}.`);
    output.note(`Events of the ${client.environment} environment are forwarded to ${url}.`);

    for await (const event of follow(client, { ...query, cursor }, input)) {
      const forwarded = await forward(event, { url, secret, signal });
      signal.throwIfAborted();
      output.result(
        { id: event.id, type: event.type, ...forwarded },
        `${lineOf(event)}  ${forwarded.error ?? forwarded.status}  ${forwarded.latencyMs} ms`,
      );
      changeConfig((config) => ({
        ...config,
        lastForwarded: { ...config.lastForwarded, [key]: event.id },
      }));
    }
  },
};

function receiverOf(given: string | undefined): string {
  if (!given) throw new UsageError("Give the receiver: --forward-to <url>.", listen);
  const url = /^\w+:\/\//.test(given) ? given : `http://${given}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--forward-to must be an http or https URL. "${given}" is not.`, listen);
  return url;
}

async function checkedSecret(secret: string | undefined): Promise<string | undefined> {
  if (secret === undefined) return undefined;
  const isUsable = await signTestWebhook({ payload: "{}", secret }).then(
    () => true,
    () => false,
  );
  if (isUsable) return secret;
  throw new UsageError("--secret must be a signing secret: whsec_ followed by base64.", listen);
}

function ownSecret(): string {
  const { listenSecret } = readConfig();
  if (listenSecret) return listenSecret;
  const made = `whsec_${randomBytes(32).toString("base64")}`;
  changeConfig((config) => ({ ...config, listenSecret: made }));
  return made;
}

async function forward(
  event: WebhookEvent,
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
): Promise<Forwarded> {
  const { payload, headers } = await signTestWebhook({ payload: event, secret });
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: payload,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return { status: response.status, latencyMs: latencyMs(), error: null };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { status: null, latencyMs: latencyMs(), error: cause?.code ?? message };
  }
}
