import dns from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isBlockedAddress, isBlockedHost, isLocalhost } from "./blocked-addresses";
import { isOwnEndpoint } from "./own-endpoints";

/**
 * Why a request got no answer. The one who owns the webhook reads this, so it tells nothing of what
 * lies behind an address.
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
 * A connector for undici that reaches public addresses only, and no port of this installation. A
 * literal host is checked before, because Node never looks a literal up; a name is refused if any
 * of its addresses is blocked, and only the addresses that were checked are tried; at last the
 * socket is asked whom it reached, before a byte of the request is sent.
 */
export function guardedConnector(timeoutMs: number): buildConnector.connector {
  // One a port, because a lookup is not told for which port it is. An agent serves one webhook, so
  // there is rarely a second.
  const connectors = new Map<number, buildConnector.connector>();
  const connectorFor = (port: number) => {
    // The options go to net.connect and tls.connect as they are, which undici's types do not show
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
        // A peer that has hung up already leaves no address to look at, and is not written to
        // either.
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
 * Asks the name servers directly, because getaddrinfo would occupy one of four threads for as long
 * as a hostile name server keeps silent, and four such webhooks would keep all others from being
 * resolved.
 * @throws OutboundError where nothing is found, or any address found is blocked.
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
  const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
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
  // With TLS, whatever is no failure of the connection itself is one of the handshake or the
  // certificate.
  return (
    systemErrorCodes[error.code ?? ""] ?? (protocol === "https:" ? "tls_error" : "connection_error")
  );
}

/** For errors after the connection stood. */
export function exchangeErrorCode(error: unknown): OutboundErrorCode {
  if (error instanceof OutboundError) return error.errorCode;
  const { code = "", name = "" } = (error ?? {}) as { code?: string | number; name?: string };
  if (name === "TimeoutError") return "timeout";
  if (name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW") return "invalid_response";
  // undici's own word for a peer that closed before its answer was whole.
  if (code === "UND_ERR_SOCKET" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
    return "connection_reset";
  return systemErrorCodes[String(code)] ?? "connection_error";
}
