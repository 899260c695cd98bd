// The process that opens an untrusted file loads this before anything else. Since version 25,
// Node's own permissions deny access to the network. In older versions, this file disables every
// function of Node's modules that reaches the network. If the system allows it, the process also
// runs in its own empty network namespace (sandbox.ts).

import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";

/** @returns {never} */
function deny() {
  throw Object.assign(new Error("The network is not available to this process."), {
    code: "ERR_ACCESS_DENIED",
  });
}

/** @param {object} target @param {string[]} names */
function close(target, names) {
  for (const name of names)
    Object.defineProperty(target, name, { value: deny, writable: false, configurable: false });
}

/** @param {object} target */
const functionsOf = (target) =>
  Object.getOwnPropertyNames(target).filter(
    (name) => name !== "constructor" && typeof Reflect.get(target, name) === "function",
  );

close(net.Socket.prototype, ["connect"]);
close(net.Server.prototype, ["listen"]);
close(net, ["connect", "createConnection", "createServer"]);
close(tls, ["connect", "createServer"]);
close(dgram, ["createSocket"]);
close(dgram.Socket.prototype, ["bind", "connect", "send", "addMembership"]);
for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  close(resolver, functionsOf(resolver));
close(childProcess, functionsOf(childProcess));
close(globalThis, ["fetch", "WebSocket", "EventSource"]);
// These bypass the modules above.
close(process, ["binding", "_linkedBinding", "dlopen"]);
syncBuiltinESMExports();
