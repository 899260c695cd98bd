import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

const readyForQuery = Buffer.from("Z\0\0\0\x05I", "latin1");

/** What PostgreSQL sends before it closes a connection. */
function goodbye(): Buffer {
  // cspell:ignore SFATAL Mterminating
  const fields = "SFATAL\0C57P01\0Mterminating connection\0\0";
  const packet = Buffer.alloc(5 + fields.length);
  packet.write("E", "latin1");
  packet.writeInt32BE(4 + fields.length, 1);
  packet.write(fields, 5, "latin1");
  return packet;
}

/**
 * Between a client and PostgreSQL, to end a connection in the packet that also ends a statement, or
 * instead of that packet.
 */
export async function startEndingProxy(databaseUrl: string) {
  let endsAfter: string | null = null;
  let losesResponseOf: string | null = null;
  let lostResponses = 0;
  const server = createServer((near) => {
    let isLosingResponse = false;
    const { hostname, port } = new URL(databaseUrl);
    const far = connect(Number(port), hostname);
    near.on("data", (bytes: Buffer) => {
      if (losesResponseOf !== null && bytes.includes(losesResponseOf)) {
        losesResponseOf = null;
        isLosingResponse = true;
      }
      far.write(bytes);
    });
    far.on("data", (bytes: Buffer) => {
      if (isLosingResponse) {
        if (!bytes.subarray(-readyForQuery.length).equals(readyForQuery)) return;
        lostResponses++;
        return far.destroy();
      }
      const isLast =
        endsAfter !== null &&
        bytes.includes(endsAfter) &&
        bytes.subarray(-readyForQuery.length).equals(readyForQuery);
      if (!isLast) return near.write(bytes);
      endsAfter = null;
      near.end(Buffer.concat([bytes, goodbye()]));
      far.destroy();
    });
    for (const socket of [near, far]) socket.on("error", () => {});
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Ends the connection of the next statement whose response has this text. */
    endAfter: (text: string) => {
      endsAfter = text;
    },
    /**
     * Ends the connection of the next statement that has this text in its request, such as its name,
     * once PostgreSQL has executed it. The client gets no response.
     */
    loseResponseOf: (text: string) => {
      losesResponseOf = text;
    },
    lostResponses: () => lostResponses,
    close: () => server.close(),
  };
}
