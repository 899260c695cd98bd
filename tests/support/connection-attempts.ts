import { Socket } from "node:net";

/**
 * Notes every address that this process tries to reach over TCP, with TLS or without, from the very
 * moment before the operating system is asked to. A name that is looked up and then refused is no
 * attempt.
 */
export function watchConnectionAttempts() {
  const addresses: string[] = [];
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    this.on("connectionAttempt", (address: string) => addresses.push(address));
    return Reflect.apply(connect, this, given);
  };
  return {
    addresses,
    stop: () => {
      Socket.prototype.connect = connect;
    },
  };
}
