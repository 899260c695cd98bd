import autocannon from "autocannon";

/** `path` and `headers` are called for each request, with its number. */
export type Load = {
  port: number;
  method: "GET" | "POST";
  path: (index: number) => string;
  headers: (index: number) => Record<string, string>;
  body?: string | undefined;
  seconds: number;
  connections: number;
};

export type Driven = { rate: number; p99: number; count: number };

/** As many requests as possible, every one of which must succeed. */
export async function drive({
  port,
  method,
  path,
  headers,
  body,
  seconds,
  connections,
}: Load): Promise<Driven> {
  let count = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [
      {
        ...{ method, path: path(0), headers: headers(0), ...(body && { body }) },
        setupRequest: (request: autocannon.Request) => {
          const index = count++;
          return {
            ...request,
            path: path(index),
            headers: { ...headers(index), ...(body && { "content-type": "application/json" }) },
          };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${method} ${path(0)}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`,
    );
  }
  return { rate: result.requests.average, p99: result.latency.p99, count: result.requests.total };
}
