import { defineConfig } from "tsdown";

export default defineConfig([
  {
    entry: { index: "src/index.ts", webhooks: "src/webhooks.ts" },
    format: ["esm", "cjs"],
    platform: "neutral",
    target: "es2022",
    dts: true,
    // They contain the sources, so that a stack trace or a debugger shows them.
    sourcemap: true,
    clean: true,
    // `.js` is ESM, as package.json says; `.cjs` is what `require` gets.
    outExtensions: ({ format }) =>
      format === "cjs" ? { js: ".cjs", dts: ".d.cts" } : { js: ".js", dts: ".d.ts" },
  },
  {
    entry: { parlance: "cli/main.ts" },
    outDir: "bin",
    format: "esm",
    platform: "node",
    target: "node20",
    dts: false,
    outputOptions: { inlineDynamicImports: true },
    clean: true,
    outExtensions: () => ({ js: ".js" }),
  },
]);
