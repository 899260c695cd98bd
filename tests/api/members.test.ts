import { describe, expect, test } from "vitest";
import { removeMember } from "@/lib/members/service";
import { mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { as, newMember, newOrganization, newPerson } from "../support/people";

const suspend = ({ tenantId }: TestTenant, userId: string) =>
  db().membership.update({
    where: { tenantId_userId: { tenantId, userId } },
    data: { suspendedAt: new Date() },
  });

async function newTeam() {
  const { tenant: organization, owner } = await newOrganization();
  const tenant = await newKey(organization);
  const admin = await newMember(organization.id, "ADMIN");
  const viewer = await newMember(organization.id, "VIEWER");
  const listed = [viewer, admin, owner].map(({ id, name, role }) => ({ id, name, role }));
  return { organization, tenant, owner, admin, viewer, listed };
}

test("200 lists the members with id, name and role, newest first, and no address", async () => {
  const { organization, tenant, viewer, listed } = await newTeam();
  await newTeam();
  const suspended = await newMember(organization.id, "MEMBER");
  await suspend(tenant, suspended.id);

  const members = await call(tenant, "GET", "/members");
  expect(members.body).toEqual({ data: listed });
  expect(members.text).not.toContain("@");
  const reversed = await call(tenant, "GET", "/members?order=asc");
  expect(reversed.body.data).toEqual(listed.toReversed());
  const live = await newKey(organization, { environment: "live" });
  expect((await call(live, "GET", "/members")).text).toBe(members.text);
  expect((await call(await newTenant(), "GET", "/members")).body).toEqual({ data: [] });

  const first = (await call(tenant, "GET", "/members?limit=1")).body;
  expect(first).toEqual({ data: listed.slice(0, 1), nextCursor: viewer.id });
  const rest = await call(tenant, "GET", `/members?limit=2&cursor=${first.nextCursor}`);
  expect(rest.body).toEqual({ data: listed.slice(1) });
});

test("200 after a member who was removed since, in both orders and environments; 422 for any other id", async () => {
  const { organization, tenant, owner, admin, viewer } = await newTeam();
  await mutate(as(owner), (caller) => removeMember(caller, admin.id));

  const live = await newKey(organization, { environment: "live" });
  for (const key of [tenant, live]) {
    for (const [order, next] of [
      ["desc", owner],
      ["asc", viewer],
    ] as const) {
      const page = await call(key, "GET", `/members?order=${order}&cursor=${admin.id}`);
      expect(page.body.data).toMatchObject([{ id: next.id }]);
    }
  }
  const stranger = (await newTeam()).owner;
  for (const cursor of [stranger.id, newId("user"), newId("customer"), "x"])
    expect(await call(tenant, "GET", `/members?cursor=${cursor}`)).toMatchObject({
      status: 422,
      body: { type: expect.stringMatching(/\/errors\/invalid-cursor$/) },
    });
});

test.each([
  ["limit=0", "/limit"],
  ["order=name", "/order"],
  ["role=OWNER", "/role"],
])("422 for %s", async (query, pointer) => {
  expect(await call(await newTenant(), "GET", `/members?${query}`)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer, location: "query" }] },
  });
});

describe("assigneeId", () => {
  test("200 takes the id of every listed member, and raises an event", async () => {
    const { tenant, listed } = await newTeam();
    const { id } = (await call(tenant, "POST", "/conversations", { channelId: "web" })).body;
    for (const member of listed) {
      const reply = await call(tenant, "PATCH", `/conversations/${id}`, { assigneeId: member.id });
      expect(reply).toMatchObject({ status: 200, body: { assigneeId: member.id } });
      const { data } = (await call(tenant, "GET", "/events?limit=1")).body;
      expect(data).toMatchObject([{ type: "conversation.updated", data: { object: reply.body } }]);
    }
    const cleared = await call(tenant, "PATCH", `/conversations/${id}`, { assigneeId: null });
    expect(cleared.body.assigneeId).toBeNull();
  });

  test("404 for a user who is not a member, is suspended or has left; 422 for anything but the id of a member", async () => {
    const { tenant, owner, admin, viewer } = await newTeam();
    await suspend(tenant, viewer.id);
    await mutate(as(owner), (caller) => removeMember(caller, admin.id));
    const { id } = (await call(tenant, "POST", "/conversations", { channelId: "web" })).body;
    const assign = (assigneeId: string) =>
      call(tenant, "PATCH", `/conversations/${id}`, { assigneeId });

    const strangers = [(await newTeam()).owner, await newPerson(), viewer, admin];
    for (const user of [...strangers.map((person) => person.id), newId("user")])
      expect((await assign(user)).status).toBe(404);
    for (const other of ["", "Ada", id])
      expect(await assign(other)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: "/assigneeId" }] },
      });
    expect((await call(tenant, "GET", `/conversations/${id}`)).body.assigneeId).toBeNull();
  });
});
