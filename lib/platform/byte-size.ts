const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size: `812 B`, `1.4 KiB`, `20 MiB`. */
export function byteSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(1, bytes)) / 10), units.length - 1);
  const amount = bytes / 1_024 ** power;
  return `${amount.toLocaleString("en", { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${units[power]}`;
}
