import dns from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isBlockedAddress, isBlockedHost, isLocalhost } from "./blocked-addresses";
import { isOwnEndpoint } from "./own-endpoints";

/**
 * Why a request got no response. The webhook's owner sees this, so it must not reveal what is
 * behind an address.
 */
export type OutboundErrorCode =
  | "timeout"
  | "blocked_address"
  | "dns_error"
  | "tls_error"
  | "connection_refused"
  | "connection_reset"
  | "connection_error"
  | "invalid_response"
  | "invalid_url";

/** Thrown inside a connection attempt, and turned into a result by `outboundRequest`. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";

  constructor(readonly errorCode: OutboundErrorCode) {
    super(errorCode);
  }
}

/**
 * A connector for undici that reaches only public addresses, and no port of this installation. An
 * IP literal is checked first, because Node never looks it up. A name is refused if any of its
 * addresses is blocked, and only checked addresses are tried. Finally, the address that the socket
 * reached is checked before any byte of the request is sent.
 */
export function guardedConnector(timeoutMs: number): buildConnector.connector {
  // One per port, because a lookup does not know the port. A connector serves one webhook, so there
  // is rarely more than one port.
  const connectors = new Map<number, buildConnector.connector>();
  const connectorFor = (port: number) => {
    // The options are passed to net.connect and tls.connect, which undici's types do not declare
    // for `lookup`.
    const options = {
      timeout: timeoutMs,
      lookup: guardedLookup(port),
      autoSelectFamily: true,
      rejectUnauthorized: true,
      maxCachedSessions: 4,
    };
    const connector =
      connectors.get(port) ?? buildConnector(options as buildConnector.BuildOptions);
    connectors.set(port, connector);
    return connector;
  };

  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
    const connect = () =>
      connectorFor(port)(target, (error, socket) => {
        if (error)
          return callback(new OutboundError(connectErrorCode(error, target.protocol)), null);
        if (!socket) return callback(new OutboundError("connection_error"), null);
        // A peer that has already disconnected has no address to check, and nothing is sent to it.
        if (socket.remoteAddress === undefined) {
          socket.destroy();
          return callback(new OutboundError("connection_reset"), null);
        }
        if (isBlockedAddress(socket.remoteAddress)) {
          socket.destroy();
          return callback(new OutboundError("blocked_address"), null);
        }
        callback(null, socket);
      });

    const isRefused =
      isBlockedHost(target.hostname) || (isIP(host) === 0 ? false : isOwnEndpoint(host, port));
    Promise.resolve(isRefused).then((refused) =>
      refused ? callback(new OutboundError("blocked_address"), null) : connect(),
    );
  };
}

const guardedLookup =
  (port: number): LookupFunction =>
  (hostname, options, callback) => {
    resolveChecked(hostname, port).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };

/**
 * Queries the name servers directly. getaddrinfo would occupy one of four threads for as long as a
 * hostile name server stays silent, so four such webhooks would block all other lookups.
 * @throws OutboundError if nothing is found, or if any address is blocked
 */
async function resolveChecked(
  hostname: string,
  port: number,
): Promise<{ address: string; family: number }[]> {
  const addresses = isLocalhost(hostname)
    ? ["127.0.0.1", "::1"].filter((address) => !isBlockedAddress(address))
    : await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError("dns_error");
  const isOwn = await Promise.all(addresses.map((address) => isOwnEndpoint(address, port)));
  if (addresses.some(isBlockedAddress) || isOwn.includes(true))
    throw new OutboundError("blocked_address");
  return addresses.map(withFamily);
}

async function resolve(hostname: string): Promise<string[]> {
  const lookups = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  return lookups.flatMap((lookup) => (lookup.status === "fulfilled" ? lookup.value : []));
}

const withFamily = (address: string) => ({ address, family: isIP(address) });

const systemErrorCodes: Record<string, OutboundErrorCode> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  EHOSTUNREACH: "connection_error",
  ENETUNREACH: "connection_error",
  EADDRNOTAVAIL: "connection_error",
  EACCES: "connection_error",
  EPERM: "connection_error",
  EMFILE: "connection_error",
};

function connectErrorCode(error: Error & { code?: string }, protocol: string): OutboundErrorCode {
  if (error instanceof OutboundError) return error.errorCode;
  // With TLS, any other failure concerns the handshake or the certificate.
  return (
    systemErrorCodes[error.code ?? ""] ?? (protocol === "https:" ? "tls_error" : "connection_error")
  );
}

/** For errors after the connection was established. */
export function exchangeErrorCode(error: unknown): OutboundErrorCode {
  if (error instanceof OutboundError) return error.errorCode;
  const { code = "", name = "" } = (error ?? {}) as { code?: string | number; name?: string };
  if (name === "TimeoutError") return "timeout";
  if (name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW") return "invalid_response";
  // undici's codes for a peer that closed before its response was complete.
  if (code === "UND_ERR_SOCKET" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
    return "connection_reset";
  return systemErrorCodes[String(code)] ?? "connection_error";
}
