import { createSocket } from "node:dgram";
import { getServers, setServers } from "node:dns";
import { isIPv6 } from "node:net";

const typeA = 1;
const typeAaaa = 28;

/**
 * A real DNS server on loopback, which this process asks until it is closed. Names that `records`
 * does not hold do not exist; a name whose addresses are null is never answered.
 */
export async function startNameServer(records: Record<string, string[] | null>) {
  const socket = createSocket("udp4");
  socket.on("message", (query, sender) => {
    const { name, type, questionEnd } = readQuestion(query);
    const addresses = records[name];
    if (addresses === null) return;

    const matching = (addresses ?? []).filter(
      (address) => (isIPv6(address) ? typeAaaa : typeA) === type,
    );
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(matching.length, 6);
    const answers = matching.map((address) => answerRecord(type, toBytes(address)));
    socket.send(
      Buffer.concat([header, query.subarray(12, questionEnd), ...answers]),
      sender.port,
      sender.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));

  const before = getServers();
  setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    close: async () => {
      setServers(before);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; questionEnd: number } {
  const labels: string[] = [];
  let position = 12;
  for (let length = query.readUInt8(position); length > 0; length = query.readUInt8(position)) {
    labels.push(query.toString("latin1", position + 1, position + 1 + length));
    position += length + 1;
  }
  return {
    name: labels.join(".").toLowerCase(),
    type: query.readUInt16BE(position + 1),
    questionEnd: position + 5,
  };
}

/** The name is a pointer to the question's; the answer lives for no time at all. */
function answerRecord(type: number, bytes: Buffer): Buffer {
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([fixed, bytes]);
}

function toBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const missing = address.includes("::") ? 8 - groups(head).length - groups(tail).length : 0;
  const all = [...groups(head), ...Array<string>(missing).fill("0"), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
