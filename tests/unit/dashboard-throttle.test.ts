import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dashboardLimits, throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { newId } from "@/lib/resources/ids";

const outcomes = async (works: Promise<void>[]) =>
  (await Promise.allSettled(works)).map(({ status }) => status);
const times = (count: number, work: () => Promise<void>) =>
  outcomes(Array.from({ length: count }, work));
const allowed = (found: string[]) => found.filter((status) => status === "fulfilled").length;

test("dashboard actions of one user are throttled across organizations, with the time to wait, and another user's are not", async () => {
  const [user, other, tenant, second] = [
    newId("user"),
    newId("user"),
    newId("tenant"),
    newId("tenant"),
  ];
  expect(allowed(await times(dashboardLimits.user, () => throttleDashboard(user, tenant)))).toBe(
    dashboardLimits.user,
  );

  for (const where of [tenant, second, null]) {
    await expect(throttleDashboard(user, where)).rejects.toMatchObject({
      kind: "rate-limited",
      detail: expect.stringMatching(
        /^You have made too many changes in the last minute\. Try again in \d+ seconds?\.$/,
      ),
      members: { retryAfter: expect.any(Number) },
    });
  }
  await throttleDashboard(other, tenant);
});

test("dashboard actions of one organization are throttled however many users it has, and its users act elsewhere", async () => {
  const [tenant, elsewhere] = [newId("tenant"), newId("tenant")];
  const users = Array.from({ length: 10 }, () => newId("user"));
  const each = dashboardLimits.tenant / users.length;
  for (const user of users)
    expect(allowed(await times(each, () => throttleDashboard(user, tenant)))).toBe(each);

  await expect(throttleDashboard(users[0] ?? "", tenant)).rejects.toMatchObject({
    kind: "rate-limited",
    detail: expect.stringMatching(/^Your organization has made too many changes/),
  });
  await throttleDashboard(users[0] ?? "", elsewhere);
});

const routes = ["app/(dashboard)", "app/api/dashboard"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "route.ts")
    .map((file) => path.join(folder, file)),
);
const throttled = /await throttleDashboard\(|= csvRoute[(<]|respondWithJson\(/;

test.each(routes)("%s counts as an action of its user", (file) => {
  expect(readFileSync(file, "utf8")).toMatch(throttled);
});
