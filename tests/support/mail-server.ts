import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { from: string; to: string[]; source: string };

/**
 * A real SMTP server on this machine that records all mails. `refusal` is its response
 * instead, while it is set.
 */
export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const state: { refusal: { code: number; text: string; at: "recipient" | "content" } | null } = {
    refusal: null,
  };
  const refuse = (at: "recipient" | "content") =>
    state.refusal?.at === at
      ? Object.assign(new Error(state.refusal.text), { responseCode: state.refusal.code })
      : null;

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, callback) => callback(refuse("recipient")),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const refused = refuse("content");
        if (!refused) {
          const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : "";
          const to = session.envelope.rcptTo.map(({ address }) => address);
          mails.push({ from, to, source: Buffer.concat(chunks).toString("utf8") });
        }
        callback(refused);
      });
    },
  });
  server.on("error", () => {});
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuseWith: (refusal: typeof state.refusal) => {
      state.refusal = refusal;
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
