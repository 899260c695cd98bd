const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A request as a command for a shell. */
export function asCurl(url: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return [`curl -X POST ${quote(url)}`, ...lines, `--data-raw ${quote(body)}`].join(" \\\n  ");
}
