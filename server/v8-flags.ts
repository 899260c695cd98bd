import { setFlagsFromString } from "node:v8";

// Imported first by each long-lived process, because V8 reads these flags when it needs them.

// Prisma's query compiler is WebAssembly and compiles each shape of query once. V8 would spend a
// second of CPU and 100 MB on optimizing it, which such rare work does not earn back.
setFlagsFromString("--no-wasm-tier-up");
setFlagsFromString("--no-wasm-dynamic-tiering");

// A full collection starts when the old generation is half as large again as what it last kept. By
// default it may become four times as large: 60 MB more, for a hundredth of the time.
setFlagsFromString("--heap-growing-percent=50");
