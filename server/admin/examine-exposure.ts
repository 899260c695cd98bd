import { existsSync } from "node:fs";
import type { Env } from "@/lib/platform/env";
import { isLoopbackUrl } from "@/lib/platform/loopback";
import {
  exposureRemedy,
  isLoopbackOpen,
  loopbackClosedBecause,
} from "@/lib/platform/loopback-exposure";
import { untrustedProxyFile, untrustedProxyWarning } from "@/lib/platform/untrusted-proxy";
import type { Finding } from "./doctor";

/** Whether webhooks can reach this machine, and why. */
export function examineExposure({
  APP_URL,
  WEBHOOK_ALLOWED_PRIVATE_CIDRS: networks,
}: Env): Finding {
  const subject = "loopback";
  const opensLoopback = networks.some((network) => /^(127\.|::1|0\.0\.0\.0)/.test(network));
  if (opensLoopback && !isLoopbackUrl(APP_URL)) {
    const problem = `WEBHOOK_ALLOWED_PRIVATE_CIDRS lets every organization's webhooks reach this machine's own services, and ${APP_URL} is public`;
    return { subject, problem: `${problem}. Remove the loopback network from it` };
  }
  if (isLoopbackOpen())
    return {
      subject,
      fact: "webhooks may reach this machine, because only this machine can connect",
    };
  const reason = loopbackClosedBecause();
  if (reason) return { subject, fact: `closed to webhooks, ${reason}. ${exposureRemedy}` };
  return {
    subject,
    fact: opensLoopback
      ? "open to webhooks by WEBHOOK_ALLOWED_PRIVATE_CIDRS"
      : "closed to webhooks",
  };
}

/** Whether throttles and allow-lists see the clients' addresses or a proxy's. */
export function examineProxies({ TRUSTED_PROXY_HOPS: hops }: Env): Finding {
  const subject = "client addresses";
  if (hops > 0)
    return {
      subject,
      fact: `taken from ${hops} trusted ${hops === 1 ? "proxy" : "proxies"} in front`,
    };
  if (!existsSync(untrustedProxyFile())) return { subject, fact: "taken from each connection" };
  return {
    subject,
    problem: `${untrustedProxyWarning}. If that proxy is gone, delete ${untrustedProxyFile()}`,
  };
}
