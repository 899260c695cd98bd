import { expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { findLiveSession } from "@/lib/sessions/service";
import { runAdmin } from "../support/admin";
import { auditOf, newOrganization, newSession } from "../support/people";

test("help lists every command, and help of a command only that one, with exit code 0", async () => {
  const all = await runAdmin(["help"]);
  expect([all.exitCode, all.problem]).toEqual([0, ""]);
  expect(all.output).toContain("npm run admin -- tenant:create --name <name> [--slug <slug>]");
  const one = await runAdmin(["key:list", "--help"]);
  expect(one).toEqual({
    exitCode: 0,
    output: "Usage:\n  npm run admin -- key:list --tenant <slug> --environment test|live\n",
    problem: "",
  });
});

test("an unknown command or option ends with 2 and names the nearest", async () => {
  const command = await runAdmin(["tenant:lists"]);
  expect(command.exitCode).toBe(2);
  expect(command.problem).toMatch(
    /^There is no command "tenant:lists". Did you mean tenant:list\?/,
  );
  const option = await runAdmin(["tenant:create", "--nama=Acme"]);
  expect(option.exitCode).toBe(2);
  expect(option.problem).toMatch(/^There is no option --nama. Did you mean --name\?/);
  const inherited = await runAdmin(["constructor"]);
  expect(inherited.problem).toMatch(/^There is no command "constructor"\.\n/);
});

test("a tenant's name is created once, unless a slug is given", async () => {
  const create = (...args: string[]) => runAdmin(["tenant:create", "--name", "Acme", ...args]);
  const first = await create("--json");
  expect([first.exitCode, JSON.parse(first.output).slug]).toEqual([0, "acme"]);
  const again = await create();
  expect([again.exitCode, again.output]).toEqual([1, ""]);
  expect(again.problem).toContain('named "Acme", with the slug acme');
  expect(again.problem).toContain("add --slug <slug>");
  const second = await create("--slug", "acme-berlin");
  expect(JSON.parse(second.output)).toMatchObject({ name: "Acme", slug: "acme-berlin" });
  expect((await create("--slug", "acme")).exitCode).toBe(1);
  expect((await create("--slug", "Not a slug")).exitCode).toBe(2);

  const { tenants } = JSON.parse((await runAdmin(["tenant:list"])).output);
  expect(tenants.map(({ slug }: { slug: string }) => slug)).toEqual(["acme", "acme-berlin"]);
});

test("a tenant's plan is changed once, with an audit entry", async () => {
  const { id } = JSON.parse((await runAdmin(["tenant:create", "--name", "Grows"])).output);
  const setPlan = (plan: string) =>
    runAdmin(["tenant:set-plan", "--tenant", "grows", "--plan", plan, "--json"]);
  expect(JSON.parse((await setPlan("pro")).output)).toMatchObject({
    id,
    plan: "PRO",
    previousPlan: "FREE",
  });
  expect(JSON.parse((await setPlan("PRO")).output)).toMatchObject({ previousPlan: "PRO" });
  expect(await setPlan("HUGE")).toMatchObject({
    exitCode: 2,
    problem: expect.stringContaining("--plan must be one of FREE, PRO, SCALE"),
  });
  const entries = await db().auditEntry.findMany({ where: { tenantId: id } });
  expect(entries).toMatchObject([
    {
      action: "organization.plan_changed",
      actorType: "OPERATOR",
      changes: { before: { plan: "FREE" }, after: { plan: "PRO" } },
    },
  ]);
});

test("the keys of a tenant are listed without their secrets", async () => {
  await runAdmin(["tenant:create", "--name", "Keys"]);
  const where = ["--tenant", "keys", "--environment", "test"];
  const { output } = await runAdmin(["key:create", ...where, "--name", "Server"]);
  const { key, id, hint } = JSON.parse(output);
  const listed = await runAdmin(["key:list", ...where]);
  expect(JSON.parse(listed.output).keys).toEqual([
    expect.objectContaining({ id, hint, name: "Server", revokedAt: null }),
  ]);
  expect(listed.output).not.toContain(key);
});

test("user:remove-second-factor removes every factor, ends the sessions and tells the user", async () => {
  const { tenant, owner } = await newOrganization();
  const { id: userId, email } = owner;
  const { id: sessionId } = await newSession(userId);
  const at = new Date();
  await db().user.update({ where: { id: userId }, data: { secondFactorAt: at } });
  await db().recoveryCode.create({ data: { userId, hash: new Uint8Array(32) } });
  await db().authenticatorApp.create({
    data: { userId, sealedSecret: "sealed", createdAt: at, confirmedAt: at },
  });
  const publicKey = new Uint8Array(32);
  await db().passkey.create({
    data: { id: "a-passkey", userId, name: "Laptop", publicKey, counter: 0, createdAt: at },
  });
  const remove = (address: string) => runAdmin(["user:remove-second-factor", "--email", address]);

  const removed = await remove(email.toUpperCase());

  expect(removed.problem).toBe("");
  expect(JSON.parse(removed.output)).toEqual({ email, removed: true });
  expect(await findLiveSession(sessionId)).toBeNull();
  const left = await db().user.findUniqueOrThrow({
    where: { id: userId },
    include: { passkeys: true, authenticatorApp: true },
  });
  expect(left).toMatchObject({ secondFactorAt: null, passkeys: [], authenticatorApp: null });
  expect(await db().recoveryCode.count({ where: { userId } })).toBe(0);
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "user.second_factor_changed",
    actorId: "system",
    targetId: userId,
    changes: { after: { change: "removed by an operator" } },
  });
  expect(
    await db().mail.count({ where: { recipient: email, kind: "second-factor-changed" } }),
  ).toBe(1);
  expect(JSON.parse((await remove(email)).output)).toEqual({ email, removed: false });
  expect(await remove("nobody@example.com")).toMatchObject({
    exitCode: 1,
    problem: "There is no account with the address nobody@example.com.\n",
  });
});
