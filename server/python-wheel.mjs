// Builds the wheel of the Python client with Node alone: a zip archive with the modules, the
// metadata of pyproject.toml, and a list of the files with their hashes. The same sources make the
// same bytes. tests/sdk/served-wheel.release.test.ts compares it with the wheel that hatchling builds.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { zipSync } from "fflate";

/**
 * @param {string} folder the folder with pyproject.toml
 * @returns {{ name: string, bytes: Uint8Array }}
 */
export function packWheel(folder) {
  const text = (/** @type {string} */ file) => readFileSync(path.join(folder, file), "utf8");
  const project = readProject(text("pyproject.toml"));
  const [, version = ""] = /"(.+)"/.exec(text("src/parlance/_version.py")) ?? [];
  const info = `parlance-${version}.dist-info`;
  /** @type {Record<string, Uint8Array>} */
  const files = {};
  for (const file of readdirSync(path.join(folder, "src"), { recursive: true, encoding: "utf8" }))
    if (/\.(py|typed)$/.test(file))
      files[file.split(path.sep).join("/")] = readFileSync(path.join(folder, "src", file));
  const write = (/** @type {string} */ file, /** @type {string} */ content) => {
    files[`${info}/${file}`] = Buffer.from(content);
  };
  write("METADATA", `${metadata(project, version)}\n${text("README.md")}`);
  const wheel = ["Wheel-Version: 1.0", "Generator: parlance", "Root-Is-Purelib: true"];
  write("WHEEL", `${[...wheel, "Tag: py3-none-any"].join("\n")}\n`);
  write("licenses/LICENSE", text("LICENSE"));

  const names = Object.keys(files).sort();
  const record = names.map((name) => {
    const content = files[name] ?? new Uint8Array();
    const hash = createHash("sha256").update(content).digest("base64url");
    return `${name},sha256=${hash},${content.length}\n`;
  });
  write("RECORD", `${record.join("")}${info}/RECORD,,\n`);

  // The format has no time zone, and fflate writes local time. A local date gives the same bytes
  // everywhere.
  const mtime = new Date(2020, 0, 1);
  const sorted = [...names, `${info}/RECORD`].map((name) => [name, files[name]]);
  return {
    name: `parlance-${version}-py3-none-any.whl`,
    bytes: zipSync(Object.fromEntries(sorted), { mtime, level: 9, os: 3 }),
  };
}

/**
 * What the metadata needs of pyproject.toml, which is our own: no need for all of TOML.
 * @param {string} toml
 */
function readProject(toml) {
  const value = (/** @type {string} */ key) => {
    const [, found] =
      new RegExp(`^${key} = ("[^"]*"|\\[[^\\]]*(?:\\[[^\\]]*\\][^\\]]*)*\\])$`, "m").exec(toml) ??
      [];
    if (!found) throw new Error(`pyproject.toml has no ${key}.`);
    return JSON.parse(found.replace(/,\s*\]$/, "]"));
  };
  const [, extras = ""] = /^\[project\.optional-dependencies\]\n((?:.+\n)+)/m.exec(toml) ?? [];
  return {
    description: value("description"),
    license: value("license"),
    requiresPython: value("requires-python"),
    keywords: /** @type {string[]} */ (value("keywords")),
    classifiers: /** @type {string[]} */ (value("classifiers")),
    dependencies: /** @type {string[]} */ (value("dependencies")),
    extras: [...extras.matchAll(/^(\w+) = (\[.*\])$/gm)].map(([, name = "", list = ""]) => ({
      name,
      dependencies: /** @type {string[]} */ (JSON.parse(list)),
    })),
  };
}

/**
 * @param {ReturnType<typeof readProject>} project
 * @param {string} version
 */
function metadata(project, version) {
  return `${[
    "Metadata-Version: 2.4",
    "Name: parlance",
    `Version: ${version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    "License-File: LICENSE",
    `Keywords: ${project.keywords.join(",")}`,
    ...project.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${project.requiresPython}`,
    ...project.dependencies.map((dependency) => `Requires-Dist: ${dependency}`),
    ...project.extras.flatMap(({ name, dependencies }) => [
      `Provides-Extra: ${name}`,
      ...dependencies.map((dependency) => `Requires-Dist: ${dependency}; extra == '${name}'`),
    ]),
    "Description-Content-Type: text/markdown",
  ].join("\n")}\n`;
}
