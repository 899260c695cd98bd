import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { findHelm } from "../support/helm";

const chart = "deploy/helm/parlance";
const plainFiles = ["deploy/kubernetes/parlance.yaml", "deploy/kubernetes/migrate.yaml"];

// biome-ignore lint/suspicious/noExplicitAny: any manifest of Kubernetes.
type Manifest = any;

const read = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
const plain = plainFiles.flatMap((file) => read(readFileSync(file, "utf8")));
const named = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

test("the chart's values and the plain manifests have the same settings and secrets", () => {
  const values = parse(readFileSync(`${chart}/values.yaml`, "utf8"), { merge: true });
  expect(values.config).toEqual(named(plain, "ConfigMap", "parlance").data);
  const { stringData, metadata } = named(plain, "Secret", "parlance");
  expect(values.existingSecret).toBe(metadata.name);
  const comments = readFileSync(`${chart}/values.yaml`, "utf8");
  for (const name of Object.keys(stringData)) expect(comments).toContain(name);
  const schema = readFileSync("lib/platform/env.ts", "utf8");
  for (const name of [...Object.keys(values.config), ...Object.keys(stringData)])
    expect(schema).toContain(`    ${name}:`);
});

const helm = findHelm();

test.skipIf(!helm)("helm renders what deploy/kubernetes contains", () => {
  const run = (...args: string[]) => execFileSync(helm ?? "", args, { encoding: "utf8" });
  run("lint", "--strict", chart);
  const rendered = read(run("template", "parlance", chart, "--kube-version", "1.31"));
  // The chart takes its secrets by reference.
  const expected = plain.filter(({ kind }) => kind !== "Secret");
  expect(rendered.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual(
    expected.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
  );
  for (const manifest of expected)
    expect(comparable(named(rendered, manifest.kind, manifest.metadata.name))).toEqual(
      comparable(manifest),
    );

  const other = read(
    run(
      ...["template", "other", chart, "--kube-version", "1.31"],
      ...["--set", "ingress.enabled=true,web.autoscaling.enabled=false,image.tag=2.0.0"],
    ),
  );
  expect(named(other, "Ingress", "other").spec.rules[0].host).toBe("parlance.example.com");
  expect(other.some(({ kind }) => kind === "HorizontalPodAutoscaler")).toBe(false);
  const { spec } = named(other, "Deployment", "other-web");
  expect([spec.replicas, spec.template.spec.containers[0].image]).toEqual([
    2,
    "registry.example.com/parlance:2.0.0",
  ]);
});

/** Without what only a release has: its labels, its hooks, the digest of its settings. */
function comparable({ metadata, spec, data }: Manifest): Manifest {
  const { labels: _, annotations: __, ...rest } = metadata;
  const text = JSON.stringify({ metadata: rest, spec: withoutDefaults(spec), data });
  return JSON.parse(text, (key, value) =>
    /^(app\.kubernetes\.io\/instance|checksum\/config|imagePullPolicy)$/.test(key)
      ? undefined
      : value,
  );
}

/** The job gets the settings one by one, because a hook runs before the ConfigMap exists. */
function withoutDefaults(spec: Manifest): Manifest {
  if (spec?.type === "ClusterIP") return { ...spec, type: undefined };
  const container = spec?.template?.spec.containers[0];
  if (container?.args[0] !== "migrate") return spec;
  const { config } = parse(readFileSync(`${chart}/values.yaml`, "utf8"), { merge: true });
  const isSetting = ({ name }: { name: string }) => name in config;
  const env = container.env.filter((entry: { name: string }) => !isSetting(entry));
  const envFrom = container.envFrom.filter((source: Manifest) => !source.configMapRef);
  const pod = { ...spec.template.spec, containers: [{ ...container, env, envFrom }] };
  return { ...spec, template: { ...spec.template, spec: pod } };
}
