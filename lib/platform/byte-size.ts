const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size: `812 B`, `1.4 KiB`, `20 MiB`. */
export function byteSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(1, bytes)) / 10), units.length - 1);
  const amount = bytes / 1_024 ** power;
  return `${rounded(amount)} ${units[power]}`;
}

const decimalUnits = ["B", "kB", "MB", "GB", "TB"] as const;

/** Formats a size in the units of the plans' quotas: `812 B`, `1.4 kB`, `1 GB`. */
export function decimalSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), decimalUnits.length - 1);
  return `${rounded(bytes / 1_000 ** power)} ${decimalUnits[power]}`;
}

const rounded = (amount: number) =>
  amount.toLocaleString("en", { maximumFractionDigits: amount < 10 ? 1 : 0 });
