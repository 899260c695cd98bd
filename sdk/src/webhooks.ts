import { ParlanceError } from "./errors";
import type { WebhookEvent } from "./generated/types";
import {
  createTestKeyPair,
  signAsymmetrically,
  signatureOf,
  standardSignatureOf,
  verifiesAsymmetrically,
} from "./sign";

export type * from "./generated/types";
export { createTestKeyPair, ParlanceError };

/** Why an event was rejected. Each reason needs a different fix. */
export type WebhookVerificationCode =
  /** No secret and no public key was given: the receiver's configuration is incomplete. */
  | "missing-secret"
  /**
   * The payload is neither text nor bytes. It must be the body as it arrived: parsing and printing
   * JSON changes it.
   */
  | "payload-not-raw"
  | "missing-header"
  | "malformed-header"
  /** No signature matches: the secret, the key or the payload differs, or the request is forged. */
  | "signature-mismatch"
  | "timestamp-too-old"
  | "timestamp-in-future"
  /** The signature matches, but the payload is not an event. */
  | "malformed-payload";

/** The receiver should respond with 400. */
export class WebhookVerificationError extends ParlanceError {
  override name = "WebhookVerificationError";

  constructor(
    readonly code: WebhookVerificationCode,
    message: string,
  ) {
    super(message);
  }
}

/**
 * One secret, or all valid ones: during a rotation, the new and the old one. Each must be complete,
 * including `whsec_`. If it is undefined, like a missing environment variable, the code is
 * `missing-secret`.
 */
type Secrets =
  | { secret: string | undefined; secrets?: undefined }
  | { secret?: undefined; secrets: readonly (string | undefined)[] };

/**
 * In place of a secret, for a webhook with asymmetric signatures: its public key (`whpk_…`), or all
 * valid ones. `header` must then be all headers of the request.
 */
type PublicKeys =
  | { publicKey: string | undefined; publicKeys?: undefined }
  | { publicKey?: undefined; publicKeys: readonly (string | undefined)[] };

type None<Keys> = { [Name in Keys extends unknown ? keyof Keys : never]?: undefined };

export type VerifyWebhookInput = ((Secrets & None<PublicKeys>) | (PublicKeys & None<Secrets>)) & {
  /** The body as it arrived. */
  payload: string | ArrayBuffer | Uint8Array;
  /**
   * The value of `X-Service-Signature`, or all headers of the request: a `Headers` object, or those
   * of Node's `http`.
   */
  header: string | readonly string[] | RequestHeaders | null | undefined;
  /** The maximum difference between the signature's time and now, in seconds. Default: 300. */
  toleranceSeconds?: number;
  /** The time to compare with. Default: the current time. */
  now?: Date;
};

/** As in the Fetch API, or as in Node.js and most frameworks. */
type RequestHeaders =
  | Pick<Headers, "get">
  | { readonly [name: string]: string | readonly string[] | undefined };

const signatureHeaderName = "X-Service-Signature";
const encoder = new TextEncoder();

/**
 * Returns the event if one of the secrets or keys signed it within the last five minutes. The same
 * event can arrive more than once, with the same `id`.
 * @throws WebhookVerificationError with a `code`
 * @throws ParlanceError if `toleranceSeconds` is not a number, or `now` is not a valid date
 */
export async function verifyWebhook(input: VerifyWebhookInput): Promise<WebhookEvent> {
  const { payload, toleranceSeconds = 300, now = new Date() } = input;
  // Every comparison with NaN is false, so any age would be accepted.
  if (typeof toleranceSeconds !== "number" || !(toleranceSeconds >= 0))
    throw new ParlanceError("toleranceSeconds must be a number of at least 0.");
  if (Number.isNaN(now.getTime())) throw new ParlanceError("now must be a valid date.");
  const isAsymmetric =
    input.secret === undefined &&
    input.secrets === undefined &&
    ("publicKey" in input || "publicKeys" in input);
  const keys = isAsymmetric
    ? given(input.publicKeys ?? [input.publicKey], "Give the webhook's public key, whpk_….")
    : secretsOf(input as Secrets);
  const body = toBytes(payload);
  if (!body)
    throw new WebhookVerificationError(
      "payload-not-raw",
      "The payload must be the body as it arrived, before it is parsed.",
    );
  const { timestamp, isGenuine } = isAsymmetric
    ? await checkAsymmetric(keys, input.header, body)
    : await checkSymmetric(keys, input.header, body);
  if (!isGenuine) {
    throw new WebhookVerificationError(
      "signature-mismatch",
      `No signature matches: the ${isAsymmetric ? "key" : "secret"} differs, or the body is not exactly the one that was sent.`,
    );
  }

  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError("timestamp-too-old", `Signed ${ageSeconds} s ago.`);
  if (-ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      "timestamp-in-future",
      `Signed ${-ageSeconds} s in the future.`,
    );
  return parseEvent(body);
}

type Checked = { timestamp: string; isGenuine: boolean };

async function checkSymmetric(
  secrets: string[],
  header: VerifyWebhookInput["header"],
  body: Uint8Array,
): Promise<Checked> {
  const { timestamp, signatures } = parseHeader(header);
  let isGenuine = false;
  for (const secret of secrets) {
    const expected = await signatureOf(secret, timestamp, body);
    // All signatures are compared, so that the duration does not reveal which one matched.
    for (const signature of signatures) isGenuine = isEqual(signature, expected) || isGenuine;
  }
  return { timestamp, isGenuine };
}

/** The most signatures that are checked: two keys sign during a rotation. */
const maximumAsymmetric = 4;

/** Checks `v1a` of the three headers of the Standard Webhooks specification. */
async function checkAsymmetric(
  publicKeys: string[],
  header: VerifyWebhookInput["header"],
  body: Uint8Array,
): Promise<Checked> {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headerNamed(header, name),
  ) as [string, string, string];
  if (id === "" || timestamp === "" || signature === "")
    throw new WebhookVerificationError(
      "missing-header",
      "Give all headers of the request: webhook-id, webhook-timestamp and webhook-signature.",
    );
  const signatures = signature
    .split(" ")
    .flatMap((part) => (part.startsWith("v1a,") ? [part.slice("v1a,".length)] : []))
    .slice(0, maximumAsymmetric);
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0)
    throw new WebhookVerificationError(
      "malformed-header",
      "webhook-signature has no v1a signature: set the webhook's signatureScheme to ed25519 or both.",
    );
  for (const publicKey of publicKeys) {
    for (const candidate of signatures) {
      const signed = { id, timestamp, body };
      if (await verifiesAsymmetrically(publicKey, candidate, signed).catch(refuseMalformed))
        return { timestamp, isGenuine: true };
    }
  }
  return { timestamp, isGenuine: false };
}

/** What is not base64 of a key or a signature matches nothing. A runtime without Ed25519 is an error. */
function refuseMalformed(error: Error): false {
  if (error.name === "NotSupportedError") throw error;
  return false;
}

export type SignTestWebhookInput = Secrets & {
  /** What is sent: an event, or a payload as it is. */
  payload: string | object;
  /** When it was signed. Default: now. */
  timestamp?: Date;
  /**
   * A private key of `createTestKeyPair`. It adds an asymmetric signature (`v1a`), which
   * `verifyWebhook` accepts with the `publicKey` of the pair.
   */
  privateKey?: string | undefined;
};

/**
 * Signs as the service does, to test a receiver.
 * @returns the payload as text, the value of `X-Service-Signature`, and all headers of a delivery,
 * those of the Standard Webhooks specification among them
 */
export async function signTestWebhook(input: SignTestWebhookInput) {
  const { payload, timestamp = new Date(), privateKey } = input;
  const secrets = secretsOf(input);
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const body = encoder.encode(text);
  const seconds = String(Math.floor(timestamp.getTime() / 1_000));
  const { id = "evt_test", type = "webhook.test" } = (
    typeof payload === "string" ? parseObject(payload) : payload
  ) as Partial<WebhookEvent>;

  const signatures = await Promise.all(
    secrets.map(async (key) => `v1=${await signatureOf(key, seconds, body)}`),
  );
  const header = [`t=${seconds}`, ...signatures].join(",");
  const standardSignatures = secrets.map(
    async (key) => `v1,${await standardSignatureOf(key, id, seconds, body)}`,
  );
  if (privateKey) {
    const signed = { id, timestamp: seconds, body };
    standardSignatures.push(
      signAsymmetrically(privateKey, signed).then((signature) => `v1a,${signature}`),
    );
  }
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    [signatureHeaderName]: header,
    "X-Service-Event-Id": id,
    "X-Service-Event-Type": type,
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": (await Promise.all(standardSignatures)).join(" "),
  };
  return { payload: text, header, headers };
}

const secretsOf = ({ secret, secrets = [secret] }: Secrets): string[] =>
  given(secrets, "Give the webhook's signing secret, whsec_….");

function given(candidates: readonly (string | undefined)[], advice: string): string[] {
  const found = candidates.filter(
    (candidate) => typeof candidate === "string" && candidate !== "",
  ) as string[];
  if (found.length === 0) throw new WebhookVerificationError("missing-secret", advice);
  return found;
}

function parseHeader(header: VerifyWebhookInput["header"]) {
  const text = signatureHeader(header);
  if (text === "")
    throw new WebhookVerificationError(
      "missing-header",
      `The ${signatureHeaderName} header is missing.`,
    );
  const pairs = text.split(",").map((pair) => pair.trim().split("="));
  const valuesOf = (name: string) =>
    pairs.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const [timestamp, ...furtherTimestamps] = valuesOf("t");
  const signatures = valuesOf("v1");
  if (
    !timestamp ||
    !/^\d{1,12}$/.test(timestamp) ||
    furtherTimestamps.length > 0 ||
    signatures.length === 0
  ) {
    throw new WebhookVerificationError(
      "malformed-header",
      `${signatureHeaderName} has the form t=<unix seconds>,v1=<hex>.`,
    );
  }
  return { timestamp, signatures };
}

/** The value of `X-Service-Signature` may be given alone. */
function signatureHeader(header: VerifyWebhookInput["header"]): string {
  if (typeof header === "string") return header;
  if (typeof header === "object" && header !== null && isList(header)) return header.join(",");
  return headerNamed(header, signatureHeaderName);
}

function headerNamed(header: VerifyWebhookInput["header"], wanted: string): string {
  if (typeof header !== "object" || header === null || isList(header)) return "";
  if (isHeaders(header)) return header.get(wanted) ?? "";
  const name = Object.keys(header).find(
    (candidate) => candidate.toLowerCase() === wanted.toLowerCase(),
  );
  const value = name && header[name];
  return value ? String(value) : "";
}

const isList = (header: object): header is readonly string[] => Array.isArray(header);
const isHeaders = (header: RequestHeaders): header is Pick<Headers, "get"> =>
  typeof header.get === "function";

/** A payload that is not JSON can also be signed, to test that a receiver rejects it. */
function parseObject(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof event.id === "string" && typeof event.type === "string") return event;
  } catch {
    // Handled below.
  }
  throw new WebhookVerificationError(
    "malformed-payload",
    "The signature matches, but the payload is not an event.",
  );
}

function toBytes(payload: unknown): Uint8Array | null {
  if (typeof payload === "string") return encoder.encode(payload);
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  return payload instanceof Uint8Array ? payload : null;
}

/** In a time that does not depend on where the two differ. */
function isEqual(signature: string, expected: string): boolean {
  if (signature.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++)
    difference |= signature.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}
