import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy in front of a database, which can lead to another one like a virtual IP address. It can
 * also go silent: no more bytes pass, and nothing is closed or refused, as if every packet were
 * dropped. Connections from before stay silent for good, as after a failover.
 */
export async function startSilentProxy(databaseUrl: string) {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let onGivenUp = () => {};

  const server = createServer((near) => {
    const wasSilent = isSilent;
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (!isSilent) from.pipe(to);
    }
    if (wasSilent) near.resume().on("close", () => onGivenUp());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    /**
     * Resolves with `noticed` once the client has discarded its connections, and has given up on a
     * new one, too.
     */
    goSilent: () => {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
      const noticed = new Promise<void>((resolve) => {
        onGivenUp = resolve;
      });
      return { noticed };
    },
    /** For new connections. */
    leadTo: (otherUrl: string) => {
      target = new URL(otherUrl);
    },
    /** For new connections. */
    speakAgain: () => {
      isSilent = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
