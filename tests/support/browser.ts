import { readFileSync } from "node:fs";
import { request } from "node:http";

type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
};

/** What a server action returned, and where it sent the browser. */
export type ActionReply = { status: number; location: string | null; value: unknown };

type Options = {
  /** The address of the installation. */
  url: string;
  /** Headers that a proxy in front of it would add or replace. */
  headers?: Record<string, string>;
};

/**
 * A browser's cookies and server actions over plain HTTP, without its JavaScript. It follows no
 * redirect.
 */
export function newBrowser({ url, headers = {} }: Options) {
  const cookies = new Map<string, string>();

  function send(
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ) {
    return new Promise<Reply>((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const sent = { ...(cookie && { cookie }), ...headers, ...init.headers };
      const outgoing = request(
        new URL(path, url),
        { method: init.method ?? "GET", headers: sent, agent: false },
        async (response) => {
          for (const line of response.headers["set-cookie"] ?? []) {
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            if (value === "") cookies.delete(name);
            else cookies.set(name, value);
          }
          try {
            let text = "";
            for await (const chunk of response.setEncoding("utf8")) text += chunk;
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          } catch (error) {
            reject(error);
          }
        },
      );
      outgoing.on("error", reject).end(init.body);
    });
  }

  const origin = headers.host
    ? `${headers["x-forwarded-proto"]}://${headers.host}`
    : new URL(url).origin;

  /** @param given as the component passes them; a form may be the last of them */
  async function act(
    path: string,
    action: string,
    ...given: (FormData | object | string)[]
  ): Promise<ActionReply> {
    const id = actionIds().get(action);
    if (!id) throw new Error(`There is no server action ${action}.`);
    const { body, type } = await encode(given);
    const reply = await send(path, {
      method: "POST",
      headers: {
        "next-action": id,
        origin,
        accept: "text/x-component",
        "content-type": type,
        "content-length": String(body.length),
      },
      body,
    });
    const location = reply.headers["x-action-redirect"];
    // The first row names the second one as what the action returned.
    const row = /^1:(.*)$/m.exec(reply.text)?.[1];
    return {
      status: reply.status,
      location: typeof location === "string" ? (location.split(";")[0] ?? null) : null,
      value: row?.startsWith("{") ? JSON.parse(row) : (row ?? null),
    };
  }

  return { cookies, send, act };
}

/**
 * As React encodes the arguments of an action: as JSON, or as parts of a form that the JSON refers
 * to.
 */
async function encode(
  given: (FormData | object | string)[],
): Promise<{ body: Buffer; type: string }> {
  const form = given.at(-1);
  if (!(form instanceof FormData))
    return { body: Buffer.from(JSON.stringify(given)), type: "text/plain;charset=UTF-8" };
  const parts = new FormData();
  for (const [name, value] of form) parts.append(`_1_${name}`, value);
  parts.append("0", JSON.stringify([...given.slice(0, -1), "$K1"]));
  const encoded = new Response(parts);
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    type: encoded.headers.get("content-type") ?? "",
  };
}

type Manifest = { node: Record<string, { exportedName: string }> };

/** Every browser gets the ids with the JavaScript of the pages. */
function actionIds(): Map<string, string> {
  const { node }: Manifest = JSON.parse(
    readFileSync(".next/server/server-reference-manifest.json", "utf8"),
  );
  return new Map(Object.entries(node).map(([id, { exportedName }]) => [exportedName, id]));
}

export function formOf(fields: Record<string, string | string[]>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value].flat()) form.append(name, each);
  return form;
}
