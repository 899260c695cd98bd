import dns from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { env } from "@/lib/platform/env";
import { isLoopbackHost } from "@/lib/platform/loopback";
import { isPublicAddress } from "./blocked-addresses";

type Endpoint = { host: string; port: number };

const defaultPorts: Record<string, number> = {
  "http:": 80,
  "https:": 443,
  "smtp:": 587,
  "smtps:": 465,
  "postgres:": 5432,
  "postgresql:": 5432,
};

let known: Endpoint[] | undefined;

function ownEndpoints(): Endpoint[] {
  known ??= findEndpoints();
  return known;
}

/**
 * The endpoints of this installation: its web server, its database and the services it is
 * configured with.
 */
function findEndpoints(): Endpoint[] {
  const settings = env();
  const services = [
    settings.DATABASE_URL,
    settings.DATABASE_DIRECT_URL,
    settings.DATABASE_REPLICA_URL,
    settings.UPSTASH_REDIS_REST_URL,
    settings.S3_ENDPOINT,
    settings.SMTP_URL,
    settings.INNGEST_BASE_URL,
    settings.INNGEST_CONNECT_GATEWAY_URL,
    settings.INNGEST_DEV,
    settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  ];
  const endpoints = services.flatMap((url) => {
    if (!url || !URL.canParse(url)) return [];
    const { hostname, port, protocol } = new URL(url);
    return [
      {
        host: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (defaultPorts[protocol] ?? 0),
      },
    ];
  });
  return [
    { host: "localhost", port: settings.PORT },
    ...metricsEndpoints(settings.METRICS_PORT),
    ...endpoints,
    ...(settings.INNGEST_DEV ? [{ host: "localhost", port: 8288 }] : []),
  ];
}

/** Of web and worker: `npm start` gives them neighboring ports. */
const metricsEndpoints = (port: number | undefined): Endpoint[] =>
  port ? [-1, 0, 1].map((offset) => ({ host: "localhost", port: port + offset })) : [];

const thisHost = new BlockList();
for (const [network, prefix, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["::", 127, "ipv6"],
] as const) {
  thisHost.addSubnet(network, prefix, family);
}

function isThisMachine(address: string): boolean {
  if (thisHost.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")) return true;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === plain),
  );
}

/**
 * Whether a webhook would reach a port of this installation. No setting opens those: the services
 * behind them trust this machine, and the webhook's owner can read the stored response.
 */
export async function isOwnEndpoint(address: string, port: number): Promise<boolean> {
  if (isOwnEndpointHere(address, port)) return true;
  // A public address may be shared with other sites, for example on a CDN.
  if (isPublicAddress(address)) return false;
  const named = ownEndpoints().filter(
    (endpoint) =>
      endpoint.port === port && isIP(endpoint.host) === 0 && !isLoopbackHost(endpoint.host),
  );
  const found = await Promise.all(
    named.map(({ host }) => dns.lookup(host, { all: true }).catch(() => [])),
  );
  return found.flat().some((own) => own.address === address);
}

/** The same without a DNS lookup. */
export function isOwnEndpointHere(address: string, port: number): boolean {
  const onPort = ownEndpoints().filter((endpoint) => endpoint.port === port);
  if (onPort.some(({ host }) => host === address)) return true;
  return (
    onPort.some(({ host }) => isLoopbackHost(host) || isThisMachine(host)) && isThisMachine(address)
  );
}
