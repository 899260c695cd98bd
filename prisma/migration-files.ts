import { readdirSync } from "node:fs";

/** Relative to the project's root, where every command runs. */
export const migrationsDirectory = "prisma/migrations";

/** The migrations of this version, oldest first. */
export function migrationNames(): string[] {
  const entries = readdirSync(migrationsDirectory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
