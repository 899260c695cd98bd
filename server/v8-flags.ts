import { setFlagsFromString } from "node:v8";

// Imported first by each long-lived process, because V8 reads these flags when it needs them.

// Prisma's query compiler is WebAssembly and compiles each shape of query once. V8 would spend a
// second of CPU time and 100 MB on optimizing it, which does not pay for work that is so rare.
setFlagsFromString("--no-wasm-tier-up");
setFlagsFromString("--no-wasm-dynamic-tiering");

// A full collection starts when the old generation has grown by half since the last one. By
// default, it may grow to four times its size, which takes 60 MB more and saves a hundredth of the
// time.
setFlagsFromString("--heap-growing-percent=50");
