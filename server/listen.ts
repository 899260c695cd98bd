import type { Server } from "node:http";
import { log } from "@/lib/platform/log";

/**
 * Listens on this address.
 * @throws with the setting to change if that is not possible
 */
export async function listen(server: Server, port: number, host?: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Error(sentences[error.code ?? ""]?.(port, host) ?? error.message)),
    );
    server.listen(port, host, resolve);
  });
  // For example, too many open files. The next connection may be accepted.
  server.removeAllListeners("error");
  server.on("error", (error) =>
    log.error({ error: error.message }, "a connection could not be accepted"),
  );
}

const sentences: Record<string, (port: number, host?: string) => string> = {
  EADDRINUSE: (port) =>
    `Another process already listens on port ${port}. Stop it, or set PORT to another port.`,
  EACCES: (port) =>
    `This user may not listen on port ${port}. Set PORT to one above 1023, or grant the right to use it.`,
  EADDRNOTAVAIL: (_port, host) =>
    `This machine does not have the address ${host}. Correct HOST, or unset it to listen on all addresses.`,
  ENOTFOUND: (_port, host) =>
    `HOST names no known host: ${host}. Set it to an address of this machine.`,
};
