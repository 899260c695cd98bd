import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

// What a security key does, as far as the service can see it (WebAuthn, with ES256 and no
// attestation).

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");

const head = (type: number, length: number) =>
  length < 24
    ? Buffer.from([(type << 5) | length])
    : length < 256
      ? Buffer.from([(type << 5) | 24, length])
      : Buffer.from([(type << 5) | 25, length >> 8, length & 255]);
type Cbor = number | string | Uint8Array | Map<number | string, Cbor>;
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flat().map((each) => cbor(each))]);
  return Buffer.concat([head(2, value.length), value]);
}

type Deviation = { origin?: string; isVerified?: boolean; counter?: number; challenge?: string };

/** An authenticator with one passkey. Each method accepts what an attacker would send instead. */
export function newAuthenticator(site: { id: string; origin: string }, idBytes = 16) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(idBytes);
  let counter = 0;

  const clientData = (type: string, challenge: string, { origin = site.origin }: Deviation) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  function authenticatorData(flags: number, count: number, rest: Uint8Array = Buffer.alloc(0)) {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    return Buffer.concat([sha256(site.id), Buffer.from([flags]), counted, rest]);
  }
  const flagsOf = ({ isVerified = true }: Deviation) => (isVerified ? 0b101 : 0b001);

  function register({ challenge }: { challenge: string }, deviation: Deviation = {}) {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const key = new Map<number | string, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([id.length >> 8, id.length & 255]),
      id,
      cbor(key),
    ]);
    const authData = authenticatorData(flagsOf(deviation) | 0b0100_0000, counter, credential);
    const attestation = new Map<number | string, Cbor>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return {
      ...{ id: base64url(id), rawId: base64url(id), type: "public-key" },
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientData("webauthn.create", challenge, deviation)),
        attestationObject: base64url(cbor(attestation)),
        transports: ["internal"],
      },
    };
  }

  function authenticate({ challenge }: { challenge: string }, deviation: Deviation = {}) {
    counter = deviation.counter ?? counter + 1;
    const data = clientData("webauthn.get", deviation.challenge ?? challenge, deviation);
    const authData = authenticatorData(flagsOf(deviation), counter);
    return {
      ...{ id: base64url(id), rawId: base64url(id), type: "public-key" },
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(sign("sha256", Buffer.concat([authData, sha256(data)]), privateKey)),
      },
    };
  }

  return { id: base64url(id), register, authenticate };
}
