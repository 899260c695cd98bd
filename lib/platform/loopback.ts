const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|::ffff:127(\.\d{1,3}){3})$/i;

/** Whether a host, with or without a port, is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host.replace(/(?<=[^:]):\d+$/, ""));
}

export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(new URL(url).hostname);
