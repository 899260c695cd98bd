/**
 * How proxy.ts tells a page its own address; Next does not. What a client sends under this name is
 * overwritten.
 */
export const pathHeader = "x-path";
