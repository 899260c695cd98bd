import { createServer } from "node:net";

/**
 * The port that web will listen on. PORT=0 chooses a free one.
 * @throws if the port cannot be used, with one to try instead
 */
export async function freePort(wanted: string): Promise<number> {
  const number = Number(wanted);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new Error(`PORT is "${wanted}": give a number from 0 to 65535.`);
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
        return reject(
          new Error(`HOST is "${listeningHost()}", which is not an address of this machine.`),
        );
      const reason =
        code === "EACCES"
          ? "may not be used by this user"
          : code === "EADDRINUSE"
            ? "is taken"
            : `cannot be used (${code})`;
      reject(
        new Error(
          `Port ${wanted} ${reason}. Choose another one: PORT=${number === 65_535 ? 3000 : number + 1} npm start`,
        ),
      );
    });
    probe.listen(number, listeningHost(), () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : number));
    });
  });
}

/**
 * The address that web will listen on (server/embedded/environment.ts); undefined means every
 * address.
 */
function listeningHost(): string | undefined {
  return process.env.HOST || (process.env.DATABASE_URL ? undefined : "127.0.0.1");
}

/** An address at which this machine can reach a server that listens on `host`. */
export function reachable(host = "0.0.0.0"): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
