import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

// Certificates that a test makes for itself, because Node can only read them. Each is X.509 in DER:
// a type, a length and the content, nested.

export type Certificate = { certificate: string; key: string };

const year = 365 * 24 * 60 * 60 * 1_000;
const ecdsaWithSha256 = Buffer.from("06082a8648ce3d040302", "hex");
const commonName = Buffer.from("0603550403", "hex");
const basicConstraints = Buffer.from("0603551d13", "hex");
const subjectAltName = Buffer.from("0603551d11", "hex");

/** A new certificate authority. `issue` makes certificates that only those who trust it accept. */
export function newCertificateAuthority(name: string) {
  const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  let issued = 1;
  const isAuthority = sequence(basicConstraints, value(0x04, sequence(value(0x01, [0xff]))));
  return {
    certificate: makeCertificate({
      serialNumber: 1,
      ...{ issuer: name, subject: name, extension: isAuthority },
      ...{ publicKey: keys.publicKey, signedWith: keys.privateKey },
    }),
    /** @param names DNS names and IPv4 addresses that the certificate is for */
    issue(names: string[]): Certificate {
      const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
      const extension = sequence(
        subjectAltName,
        value(0x04, sequence(...names.map(alternativeName))),
      );
      return {
        certificate: makeCertificate({
          serialNumber: ++issued,
          ...{ issuer: name, subject: names[0] ?? "", extension },
          ...{ publicKey: own.publicKey, signedWith: keys.privateKey },
        }),
        key: own.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
      };
    },
  };
}

type Contents = {
  serialNumber: number;
  issuer: string;
  subject: string;
  extension: Buffer;
  publicKey: KeyObject;
  signedWith: KeyObject;
};

function makeCertificate({
  serialNumber,
  issuer,
  subject,
  extension,
  publicKey,
  signedWith,
}: Contents): string {
  const now = Date.now();
  const unsigned = sequence(
    value(0xa0, integer(2)),
    integer(serialNumber),
    sequence(ecdsaWithSha256),
    distinguishedName(issuer),
    sequence(time(now - year), time(now + year)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    value(0xa3, sequence(extension)),
  );
  const signature = sign("sha256", unsigned, signedWith);
  const signed = sequence(unsigned, sequence(ecdsaWithSha256), value(0x03, [0], signature));
  const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function value(type: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const sizes =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...sizes]), content]);
}

const sequence = (...parts: Buffer[]) => value(0x30, ...parts);

/** @param number less than 128 */
const integer = (number: number) => value(0x02, [number]);

/** The time without the century and separators, as in 261123012959Z. */
const time = (at: number) =>
  value(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`));

const distinguishedName = (name: string) =>
  sequence(value(0x31, sequence(commonName, value(0x0c, Buffer.from(name)))));

const alternativeName = (name: string) =>
  /^[\d.]+$/.test(name) ? value(0x87, name.split(".").map(Number)) : value(0x82, Buffer.from(name));
