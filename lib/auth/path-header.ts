/**
 * proxy.ts passes each page its own path in this header, because Next does not. A value sent by the
 * client is overwritten.
 */
export const pathHeader = "x-path";
