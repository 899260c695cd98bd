import { describe, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { call, newKey, newTenant, patiently, type TestTenant } from "../support/api";
import { eventsInOrder } from "../support/feed";
import { newMember } from "../support/people";

const open = async (tenant: TestTenant, body: object = {}) =>
  (await call(tenant, "POST", "/conversations", { channelId: "web", ...body })).body;

describe("creating", () => {
  test("201 returns the complete conversation, and GET returns the same", async () => {
    const tenant = await newTenant();

    const created = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: "Hello!",
      subject: "Help",
      tags: ["b", "a"],
      metadata: { plan: "gold" },
    });

    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^cnv_[0-9A-HJKMNP-TV-Z]{26}$/),
      environment: "test",
      status: "OPEN",
      channelId: "web",
      customerId: null,
      agentId: null,
      assigneeId: null,
      subject: "Help",
      priority: "NORMAL",
      tags: ["b", "a"],
      metadata: { plan: "gold" },
      externalId: null,
      messageCount: 1,
      lastMessageAt: created.body.createdAt,
      lastMessagePreview: "Hello!",
      snoozedUntil: null,
      resolvedAt: null,
      closedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: created.body.createdAt,
    });
    expect((await call(tenant, "GET", `/conversations/${created.body.id}`)).text).toBe(
      created.text,
    );
    const messages = await call(tenant, "GET", `/conversations/${created.body.id}/messages`);
    expect(messages.body.data).toMatchObject([
      {
        sequence: 1,
        direction: "INBOUND",
        text: "Hello!",
        author: { type: "CUSTOMER", id: null, name: null },
      },
    ]);
  });

  test("201 with a customer in the body creates it once, and finds it by externalId afterwards", async () => {
    const tenant = await newTenant();

    const first = await open(tenant, {
      customer: { externalId: "c-1", name: "Ada" },
      message: { text: "Hi", author: { type: "USER", name: "Eve" } },
    });
    const second = await open(tenant, { customer: { externalId: "c-1" } });

    expect(second.customerId).toBe(first.customerId);
    const customer = await call(tenant, "GET", `/customers/${first.customerId}`);
    expect(customer.body).toMatchObject({ name: "Ada", conversationCount: 2 });
    const { data } = (await call(tenant, "GET", `/conversations/${first.id}/messages`)).body;
    expect(data).toMatchObject([
      { direction: "OUTBOUND", author: { type: "USER", id: null, name: "Eve" } },
    ]);
  });

  test("201 also while the customer with this externalId is deleted", async () => {
    const tenant = await newTenant();
    for (let round = 0; round < 10; round++) {
      const { body: customer } = await call(tenant, "PUT", "/customers/by-external-id/c-9", {});
      const deleting = call(tenant, "DELETE", `/customers/${customer.id}?cascade=true`);
      const posting = Array.from({ length: 12 }, () =>
        call(tenant, "POST", "/conversations", {
          channelId: "web",
          customer: { externalId: "c-9" },
        }),
      );
      const statuses = (await Promise.all(posting)).map(({ status }) => status);
      expect(statuses).toEqual(posting.map(() => 201));
      await deleting;
    }
  });

  test("404 for a customer or agent that is not there", async () => {
    const tenant = await newTenant();
    for (const reference of [
      { customerId: "cus_00000000000000000000000000" },
      { agentId: "agt_00000000000000000000000000" },
    ]) {
      expect(
        await call(tenant, "POST", "/conversations", { channelId: "web", ...reference }),
      ).toMatchObject({
        status: 404,
        body: { status: 404 },
      });
    }
  });
});

describe("the status", () => {
  const future = () => new Date(Date.now() + 3_600_000).toISOString();
  const path: Record<string, string[]> = {
    OPEN: [],
    PENDING: ["PENDING"],
    SNOOZED: ["SNOOZED"],
    RESOLVED: ["RESOLVED"],
    CLOSED: ["CLOSED"],
  };
  const move = (tenant: TestTenant, id: string, status: string) =>
    call(tenant, "PATCH", `/conversations/${id}`, {
      status,
      ...(status === "SNOOZED" && { snoozedUntil: future() }),
    });

  const transitions = {
    OPEN: ["PENDING", "SNOOZED", "RESOLVED", "CLOSED"],
    PENDING: ["OPEN", "SNOOZED", "RESOLVED", "CLOSED"],
    SNOOZED: ["OPEN", "PENDING", "RESOLVED", "CLOSED"],
    RESOLVED: ["OPEN", "CLOSED"],
    CLOSED: [] as string[],
  };
  const statuses = Object.keys(transitions) as (keyof typeof transitions)[];
  test.each(statuses.flatMap((from) => statuses.map((to) => ({ from, to }))))(
    "from $from to $to follows the table",
    async ({ from, to }) => {
      const tenant = await newTenant();
      const { id } = await open(tenant);
      for (const step of path[from] ?? []) await move(tenant, id, step);

      const reply = await move(tenant, id, to);

      if (from === to || transitions[from].includes(to)) {
        expect(reply).toMatchObject({ status: 200, body: { status: to } });
        expect(reply.body.snoozedUntil === null).toBe(to !== "SNOOZED");
        expect(reply.body.closedAt === null).toBe(to !== "CLOSED");
        if (to === "OPEN" || to === "RESOLVED")
          expect(reply.body.resolvedAt === null).toBe(to === "OPEN");
      } else {
        expect(reply).toMatchObject({
          status: 409,
          body: {
            type: expect.stringMatching(/\/errors\/invalid-transition$/),
            from,
            to,
            allowed: transitions[from],
          },
        });
      }
    },
  );

  test("200 for the same status again raises no event", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    await move(tenant, id, "RESOLVED");
    const before = (await call(tenant, "GET", `/conversations/${id}`)).text;

    await move(tenant, id, "RESOLVED");

    const events = await call(tenant, "GET", "/events?type=conversation.status_changed");
    expect(events.body.data).toHaveLength(1);
    expect((await call(tenant, "GET", `/conversations/${id}`)).text).toBe(before);
  });

  test("200 and one event, with the previous values, for a change of status and other fields together", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant, { metadata: { a: 1, b: 2 } });

    const reply = await call(tenant, "PATCH", `/conversations/${id}`, {
      status: "PENDING",
      subject: "S",
      metadata: { a: null, c: 3 },
    });

    expect(reply.body).toMatchObject({ status: "PENDING", subject: "S", metadata: { b: 2, c: 3 } });
    const events = await eventsInOrder(tenant);
    expect(events.map(({ type }) => type)).toEqual([
      "conversation.created",
      "conversation.status_changed",
    ]);
    expect(events[1]?.data).toEqual({
      object: reply.body,
      previousAttributes: { status: "OPEN", subject: null, metadata: { a: 1, b: 2 } },
    });
  });

  test.each(["RESOLVED", "SNOOZED"])(
    "a customer's message reopens a %s conversation, another author's does not",
    async (status) => {
      const tenant = await newTenant();
      const { id } = await open(tenant);
      await move(tenant, id, status);

      await call(tenant, "POST", `/conversations/${id}/messages`, {
        text: "from us",
        author: { type: "USER" },
      });
      expect((await call(tenant, "GET", `/conversations/${id}`)).body.status).toBe(status);
      await call(tenant, "POST", `/conversations/${id}/messages`, { text: "from them" });

      expect((await call(tenant, "GET", `/conversations/${id}`)).body).toMatchObject({
        status: "OPEN",
        snoozedUntil: null,
        resolvedAt: null,
        messageCount: 2,
      });
      const types = (await call(tenant, "GET", "/events")).body.data.map(
        ({ type }: { type: string }) => type,
      );
      expect(types.slice(0, 2)).toEqual(["conversation.status_changed", "message.received"]);
    },
  );

  test("422 for snoozing without a time, into the past or beyond a year", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const body of [
      { status: "SNOOZED" },
      { status: "SNOOZED", snoozedUntil: inDays(-1) },
      { status: "SNOOZED", snoozedUntil: inDays(400) },
      { snoozedUntil: inDays(1) },
    ]) {
      expect(await call(tenant, "PATCH", `/conversations/${id}`, body)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: "/snoozedUntil", location: "body" }] },
      });
    }
  });
});

describe("tags", () => {
  const patch = (tenant: TestTenant, id: string, body: object, key?: string) =>
    call(
      tenant,
      "PATCH",
      `/conversations/${id}`,
      body,
      key === undefined ? {} : { "idempotency-key": key },
    );
  const numbered = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => `tag ${from + index}`);

  test("200 adds and removes tags with other fields, raises one event with the previous tags, and none if nothing changes", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant, { tags: ["a", "b", "c"] });

    const reply = await patch(tenant, id, {
      addTags: ["d", "a"],
      removeTags: ["b", "unknown"],
      status: "PENDING",
    });
    const again = await patch(tenant, id, { addTags: ["d", "a"], removeTags: ["b"] });
    const nothing = await patch(tenant, id, { addTags: [], removeTags: [] });

    expect(reply.body).toMatchObject({ tags: ["a", "c", "d"], status: "PENDING" });
    for (const { status, text } of [again, nothing])
      expect([status, text]).toEqual([200, reply.text]);
    const listed = await call(tenant, "GET", "/conversations?tag=d");
    expect(listed.body.data).toEqual([reply.body]);
    expect((await call(tenant, "GET", "/conversations?tag=b")).body.data).toEqual([]);
    const events = await eventsInOrder(tenant);
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({
      type: "conversation.status_changed",
      data: {
        object: reply.body,
        previousAttributes: { tags: ["a", "b", "c"], status: "OPEN" },
      },
    });
  });

  test("200 keeps every tag that concurrent requests add, and none that they remove", async () => {
    const tenant = await newTenant();
    const removed = numbered(10, 100);
    const { id } = await open(tenant, { tags: removed });

    const replies = await Promise.all([
      ...numbered(10).map((tag) => patch(tenant, id, { addTags: [tag] }, tag)),
      ...removed.map((tag) => patch(tenant, id, { removeTags: [tag] }, tag)),
    ]);

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const { tags } = (await call(tenant, "GET", `/conversations/${id}`)).body;
    expect(tags.toSorted()).toEqual(numbered(10));
    const events = (await call(tenant, "GET", "/events?type=conversation.updated&limit=100")).body;
    expect(events.data).toHaveLength(20);
  });

  test("200 again for a repeated request with its key: a tag that was removed since is not added twice", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    const first = await patch(tenant, id, { addTags: ["vip"] }, "k");
    await patch(tenant, id, { removeTags: ["vip"] });

    expect((await patch(tenant, id, { addTags: ["vip"] }, "k")).text).toBe(first.text);
    expect((await call(tenant, "GET", `/conversations/${id}`)).body.tags).toEqual([]);
  });

  test.each([
    ["tags with addTags", { tags: ["a"], addTags: ["b"] }, ["/addTags"]],
    ["tags with both", { tags: [], addTags: [], removeTags: [] }, ["/addTags", "/removeTags"]],
    ["a tag to add and remove", { addTags: ["a", "b"], removeTags: ["b"] }, ["/removeTags/0"]],
    ["a repeated tag", { addTags: ["a", "a"] }, ["/addTags/1"]],
    ["an empty tag", { removeTags: [""] }, ["/removeTags/0"]],
    ["a tag that is too long", { addTags: ["x".repeat(51)] }, ["/addTags/0"]],
    ["more tags than there can be", { addTags: numbered(21) }, ["/addTags"]],
    ["tags that are no list", { removeTags: "a" }, ["/removeTags"]],
    ["null", { addTags: null }, ["/addTags"]],
    ["too many tags in all", { addTags: numbered(19), removeTags: ["unknown"] }, ["/addTags"]],
  ])("422 for %s, and nothing changes", async (_what, body, pointers) => {
    const tenant = await newTenant();
    const { id } = await open(tenant, { tags: ["one", "two"] });
    const reply = await patch(tenant, id, body);
    expect([
      reply.status,
      reply.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ]).toEqual([422, pointers]);
    expect((await call(tenant, "GET", `/conversations/${id}`)).body.tags).toEqual(["one", "two"]);
  });

  test("200 up to 20 tags, where a request removes as many as it adds", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant, { tags: numbered(20) });
    const reply = await patch(tenant, id, { addTags: ["new"], removeTags: ["tag 0"] });
    expect(reply.body.tags).toEqual([...numbered(19, 1), "new"]);
  });
});

describe("listing", () => {
  test("200 pages through everything once, and the last full page has no cursor", async () => {
    const tenant = await newTenant();
    const ids: string[] = [];
    for (let index = 0; index < 9; index++) ids.unshift((await open(tenant)).id);

    for (const [order, expected] of [
      ["desc", ids],
      ["asc", ids.toReversed()],
    ] as const) {
      const seen: string[] = [];
      let cursor = "";
      for (let page = 0; page < 3; page++) {
        const { body } = await call(
          tenant,
          "GET",
          `/conversations?limit=3&order=${order}${cursor}`,
        );
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        expect("nextCursor" in body).toBe(page < 2);
        cursor = `&cursor=${body.nextCursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  test("200 with every filter, alone and together", async () => {
    const tenant = await newTenant();
    const customer = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
    const plain = await open(tenant);
    const special = await open(tenant, {
      channelId: "mail",
      customerId: customer.id,
      externalId: "x-1",
      tags: ["vip", "new"],
    });
    await call(tenant, "PATCH", `/conversations/${special.id}`, { status: "PENDING" });
    const newest = await open(tenant, { channelId: "chat" });
    await call(tenant, "PATCH", `/conversations/${newest.id}`, { status: "RESOLVED" });
    const list = async (query: string) =>
      (await call(tenant, "GET", `/conversations?${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );

    for (const query of [
      "status=PENDING",
      "status=PENDING,CLOSED",
      "channelId=mail",
      `customerId=${customer.id}`,
      "externalId=x-1",
      "tag=vip",
    ]) {
      expect([query, await list(query)]).toEqual([query, [special.id]]);
    }
    expect(
      await list(
        `status=PENDING&channelId=mail&customerId=${customer.id}&externalId=x-1&tag=new&updatedSince=${plain.createdAt}&cursor=${newest.id}`,
      ),
    ).toEqual([special.id]);
    expect(await list("status=OPEN,PENDING&order=asc")).toEqual([plain.id, special.id]);
    expect(await list("status=OPEN&tag=vip")).toEqual([]);
    expect(await list(`updatedSince=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await list("agentId=agt_00000000000000000000000000")).toEqual([]);
  });

  test("200 with an assignee, and with keys and values of metadata as text", async () => {
    const tenant = await newTenant();
    const { id: member } = await newMember(tenant.tenantId, "MEMBER");
    const gold = await open(tenant, { metadata: { plan: "gold", seats: 12, "is vip": true } });
    const silver = await open(tenant, { metadata: { plan: "silver", seats: 12 } });
    await call(tenant, "PATCH", `/conversations/${silver.id}`, { assigneeId: member });
    await open(tenant);
    const list = async (query: string) =>
      (await call(tenant, "GET", `/conversations?${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );

    expect(await list(`assigneeId=${member}`)).toEqual([silver.id]);
    expect(await list("assigneeId=usr_none")).toEqual([]);
    expect(await list("metadata[plan]=gold")).toEqual([gold.id]);
    expect(await list(`${encodeURIComponent("metadata[seats]")}=12`)).toEqual([silver.id, gold.id]);
    expect(await list("metadata[seats]=12&order=asc&limit=1")).toEqual([gold.id]);
    expect(await list(`metadata[seats]=12&cursor=${silver.id}`)).toEqual([gold.id]);
    expect(await list("metadata[seats]=12&metadata[is%20vip]=true")).toEqual([gold.id]);
    expect(await list(`metadata[seats]=12&status=OPEN&assigneeId=${member}`)).toEqual([silver.id]);
    expect(await list("metadata[plan]=GOLD")).toEqual([]);

    await call(tenant, "PATCH", `/conversations/${gold.id}`, {
      metadata: { plan: "silver", seats: null },
    });
    expect(await list("metadata[plan]=gold")).toEqual([]);
    expect(await list("metadata[plan]=silver")).toEqual([silver.id, gold.id]);
    expect(await list("metadata[seats]=12")).toEqual([silver.id]);

    const [stranger, live] = await Promise.all([
      newTenant(),
      newKey(tenant, { environment: "live" }),
    ]);
    for (const other of [stranger, live])
      expect((await call(other, "GET", "/conversations?metadata[plan]=silver")).body.data).toEqual(
        [],
      );
  });

  test("200 treats a limit above 100 as 100; 422 for one below 1 or not a number", async () => {
    const tenant = await newTenant();
    expect((await call(tenant, "GET", "/conversations?limit=1000")).status).toBe(200);
    for (const limit of ["0", "-1", "1.5", "x", ""]) {
      expect(await call(tenant, "GET", `/conversations?limit=${limit}`)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: "/limit", location: "query" }] },
      });
    }
  });

  test("422 invalid-cursor for an id of another list and for invalid ids", async () => {
    const tenant = await newTenant();
    for (const cursor of [
      "cus_00000000000000000000000000",
      "cnv_1",
      "x",
      "cnv_0000000000000000000000000!",
    ]) {
      const reply = await call(tenant, "GET", `/conversations?cursor=${cursor}`);
      expect(reply).toMatchObject({
        status: 422,
        body: { type: expect.stringMatching(/\/errors\/invalid-cursor$/) },
      });
    }
  });
});

describe("messages", () => {
  test("201 numbers messages posted at the same time 1 to n, in the order they are listed", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);

    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        patiently(() =>
          call(tenant, "POST", `/conversations/${id}/messages`, {
            text: `"sequence":0 ${index}`,
            metadata: { sequence: 0 },
          }),
        ),
      ),
    );

    expect(replies.map(({ body }) => body.sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const listed = (await call(tenant, "GET", `/conversations/${id}/messages?limit=100`)).body.data;
    expect(listed.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    for (const { body, text } of replies) {
      expect(listed).toContainEqual(body);
      expect((await call(tenant, "GET", `/conversations/${id}/messages/${body.id}`)).text).toBe(
        text,
      );
    }
    const events = (await call(tenant, "GET", "/events?type=message.received&limit=100")).body.data;
    for (const { body } of replies)
      expect(events.map((event: { data: { object: object } }) => event.data.object)).toContainEqual(
        body,
      );
    const conversation = (await call(tenant, "GET", `/conversations/${id}`)).body;
    expect(conversation).toMatchObject({
      messageCount: 20,
      lastMessagePreview: expect.stringContaining("sequence"),
    });
  });

  test("201 with each request's own conversation and message, when two tenants send many at once", async () => {
    const tenants = [await newTenant(), await newTenant({ environment: "live" })];
    const awkward = [
      "NULL",
      "",
      "{}",
      '{"a",NULL}',
      '\\"',
      "\\",
      "a,b",
      "🙂",
      "\n",
      "'; --",
      "\\x00",
    ];
    const sent = tenants.flatMap((tenant) =>
      Array.from({ length: 25 }, (_, index) => {
        const own = `${tenant.environment} ${index} ${awkward[index % awkward.length]}`.trim();
        return { tenant, own, channelId: `${index} ${own}` };
      }),
    );
    const created = await Promise.all(
      sent.map(({ tenant, own, channelId }) =>
        call(tenant, "POST", "/conversations", {
          channelId,
          tags: [own, `{${own}}`],
          metadata: { own },
          ...(own.length % 2 === 0 && { message: { text: own, metadata: { own } } }),
        }),
      ),
    );
    const posted = await Promise.all(
      created.map(({ body }, index) =>
        call(sent[index]?.tenant ?? { key: "" }, "POST", `/conversations/${body.id}/messages`, {
          text: `Reply to ${sent[index]?.own}`,
          externalId: sent[index]?.own,
        }),
      ),
    );
    for (const [index, { tenant, own, channelId }] of sent.entries()) {
      const { id } = created[index]?.body ?? {};
      const count = own.length % 2 === 0 ? 2 : 1;
      expect(created[index]).toMatchObject({
        status: 201,
        body: {
          environment: tenant.environment,
          channelId,
          tags: [own, `{${own}}`],
          metadata: { own },
          messageCount: count - 1,
        },
      });
      const text = `Reply to ${own}`;
      expect(posted[index]).toMatchObject({
        status: 201,
        body: { conversationId: id, sequence: count, text, externalId: own },
      });
      const { body: read } = await call(tenant, "GET", `/conversations/${id}`);
      expect(read).toEqual({
        ...created[index]?.body,
        messageCount: count,
        lastMessageAt: posted[index]?.body.createdAt,
        lastMessagePreview: read.lastMessagePreview,
        updatedAt: posted[index]?.body.createdAt,
      });
      const { body: list } = await call(tenant, "GET", `/conversations/${id}/messages`);
      expect(list.data).toHaveLength(count);
      expect(list.data.at(-1)).toEqual(posted[index]?.body);
      if (count === 2) expect(list.data[0]).toMatchObject({ text: own, metadata: { own } });
    }
  });

  test("201 times follow the sequence, and updatedAt is never behind the newest message, however many are posted concurrently", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    const path = `/conversations/${id}/messages`;
    const post = (index: number) =>
      call(tenant, "POST", path, { text: `${index}` }, { "Idempotency-Key": `${index}` });
    await Promise.all(Array.from({ length: 40 }, (_, index) => post(index)));

    const { data } = (await call(tenant, "GET", `${path}?limit=100`)).body;
    const times = data.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual(times.toSorted());
    const { updatedAt, lastMessageAt } = (await call(tenant, "GET", `/conversations/${id}`)).body;
    expect([updatedAt, lastMessageAt]).toEqual([times.at(-1), times.at(-1)]);
  });

  test.each(["OPEN", "RESOLVED"])(
    "201 and 200 repeat the time of the previous change, everywhere the same, where the clock of another process was ahead (%s)",
    async (status) => {
      const tenant = await newTenant();
      const { id } = await open(tenant, {
        channelId: "web",
        message: 'A "createdAt":"2000-01-01T00:00:00.000Z" text',
      });
      const ahead = new Date(Date.now() + 3_600_000);
      const statusOf = {
        status: status as "OPEN",
        ...(status === "RESOLVED" && { resolvedAt: ahead }),
      };
      await db().conversation.updateMany({
        where: { id },
        data: { updatedAt: ahead, ...statusOf },
      });

      const path = `/conversations/${id}/messages`;
      const body = {
        text: '"createdAt":"x"',
        metadata: { createdAt: "2000-01-01T00:00:00.000Z", timestamp: "y" },
      };
      const reply = await call(tenant, "POST", path, body, {
        "Idempotency-Key": '"createdAt":"z"',
      });
      expect(reply.body).toMatchObject({ ...body, createdAt: ahead.toISOString(), sequence: 2 });
      expect(
        (await call(tenant, "POST", path, body, { "Idempotency-Key": '"createdAt":"z"' })).text,
      ).toBe(reply.text);
      expect((await call(tenant, "GET", `${path}/${reply.body.id}`)).text).toBe(reply.text);
      const posted = (await eventsInOrder(tenant))
        .filter(({ type }) => type === "message.received")
        .at(-1);
      expect(posted).toMatchObject({
        timestamp: ahead.toISOString(),
        data: { object: reply.body },
      });

      const patched = await call(tenant, "PATCH", `/conversations/${id}`, { status: "CLOSED" });
      expect(patched.body).toMatchObject({
        updatedAt: ahead.toISOString(),
        closedAt: ahead.toISOString(),
      });
      expect((await eventsInOrder(tenant)).at(-1)).toMatchObject({
        timestamp: ahead.toISOString(),
        data: { object: patched.body },
      });
      expect(
        (await call(tenant, "GET", `/conversations?updatedSince=${ahead.toISOString()}`)).body.data,
      ).toEqual([patched.body]);
    },
  );

  test("200 pages through messages both ways", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    for (let index = 0; index < 5; index++)
      await call(tenant, "POST", `/conversations/${id}/messages`, { text: String(index) });

    for (const [order, expected] of [
      ["asc", ["0", "1", "2", "3", "4"]],
      ["desc", ["4", "3", "2", "1", "0"]],
    ] as const) {
      const first = (
        await call(tenant, "GET", `/conversations/${id}/messages?limit=3&order=${order}`)
      ).body;
      const second = (
        await call(
          tenant,
          "GET",
          `/conversations/${id}/messages?limit=3&order=${order}&cursor=${first.nextCursor}`,
        )
      ).body;
      expect([...first.data, ...second.data].map(({ text }) => text)).toEqual(expected);
      expect(second).not.toHaveProperty("nextCursor");
    }
  });

  describe("201 for a customer's message in a conversation with a customer", () => {
    // Characters that JSON can write in several ways. Both serializers must write the same bytes.
    const name =
      'Ada "Lövelace" \\ / \u0001\u001f\u007f\u2028\t\n😀 "sequence":0,"id":null,"name":null';

    async function withCustomer() {
      const tenant = await newTenant();
      const customer = (await call(tenant, "POST", "/customers", { name })).body;
      const conversation = await open(tenant, { customerId: customer.id, message: "Hello" });
      const path = `/conversations/${conversation.id}/messages`;
      return { tenant, conversation, path, theirs: { type: "CUSTOMER", id: customer.id, name } };
    }

    test("names that customer in the response, the replay, the row and the event, and keeps a given author", async () => {
      const { tenant, path, theirs } = await withCustomer();
      const cases = [
        [undefined, theirs],
        [{ type: "CUSTOMER", id: null }, theirs],
        [
          { type: "CUSTOMER", name: "Countess" },
          { ...theirs, name: "Countess" },
        ],
        [
          { type: "CUSTOMER", id: "user_1" },
          { type: "CUSTOMER", id: "user_1", name: null },
        ],
        [{ type: "AGENT" }, { type: "AGENT", id: null, name: null }],
      ] as const;
      const responses = [];
      for (const [index, [author, expected]] of cases.entries()) {
        const post = () =>
          call(
            tenant,
            "POST",
            path,
            { text: "Hi", ...(author && { author }) },
            { "Idempotency-Key": `${index}` },
          );
        const response = await post();
        expect(response).toMatchObject({
          status: 201,
          body: { sequence: index + 2, author: expected },
        });
        expect((await post()).text).toBe(response.text);
        expect((await call(tenant, "GET", `${path}/${response.body.id}`)).text).toBe(response.text);
        responses.push(response.body);
      }
      const events = await eventsInOrder(tenant);
      const said = events
        .filter(({ type }) => type.startsWith("message."))
        .map(({ data }) => data.object);
      expect(said.slice(1)).toEqual(responses);
      expect(said[0]).toMatchObject({ sequence: 1, author: theirs });
    });

    test("also names them when it reopens the conversation, and in the first message with a customer in the body", async () => {
      const { tenant, conversation, path, theirs } = await withCustomer();
      await call(tenant, "PATCH", `/conversations/${conversation.id}`, { status: "RESOLVED" });
      expect((await call(tenant, "POST", path, { text: "Again" })).body.author).toEqual(theirs);

      const second = await open(tenant, {
        customer: { externalId: "c-2", name: "Bob" },
        message: "Hello",
      });
      const messages = await call(tenant, "GET", `/conversations/${second.id}/messages`);
      expect(messages.body.data[0].author).toEqual({
        type: "CUSTOMER",
        id: second.customerId,
        name: "Bob",
      });
    });
  });

  test("201 for a note raises no event and shows in no preview", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant, { message: "Hello" });

    const note = await call(tenant, "POST", `/conversations/${id}/messages`, {
      text: "between us",
      direction: "INTERNAL",
    });

    expect(note).toMatchObject({
      status: 201,
      body: { direction: "INTERNAL", author: { type: "API" }, sequence: 2 },
    });
    expect((await call(tenant, "GET", `/conversations/${id}`)).body.lastMessagePreview).toBe(
      "Hello",
    );
    expect((await call(tenant, "GET", "/events")).body.data).toHaveLength(2);
  });

  test("409 conversation-closed, with nothing written", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    await call(tenant, "PATCH", `/conversations/${id}`, { status: "CLOSED" });

    const reply = await call(tenant, "POST", `/conversations/${id}/messages`, { text: "too late" });

    expect(reply).toMatchObject({
      status: 409,
      body: { type: expect.stringMatching(/\/errors\/conversation-closed$/) },
    });
    expect((await call(tenant, "GET", `/conversations/${id}/messages`)).body).toEqual({ data: [] });
  });

  describe("to a closed conversation", () => {
    async function newClosed(tenant: TestTenant) {
      const customer = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
      const agent = (await call(tenant, "POST", "/agents", { name: "Concierge" })).body;
      const { id } = await open(tenant, {
        channelId: "mail",
        customerId: customer.id,
        agentId: agent.id,
        subject: "Old",
        tags: ["old"],
        message: "Hello",
      });
      await call(tenant, "PATCH", `/conversations/${id}`, { status: "RESOLVED" });
      const closed = (await call(tenant, "PATCH", `/conversations/${id}`, { status: "CLOSED" }))
        .body;
      return { id, closed, customer, agent, seen: (await eventsInOrder(tenant)).length };
    }
    const post = (tenant: TestTenant, id: string, body: object, key?: string) =>
      call(
        tenant,
        "POST",
        `/conversations/${id}/messages`,
        body,
        key === undefined ? {} : { "idempotency-key": key },
      );
    const read = async (tenant: TestTenant, path: string) => (await call(tenant, "GET", path)).body;

    test.each([
      ["a customer's message", {}, "message.received"],
      ["an agent's message", { author: { type: "AGENT" } }, "message.sent"],
      ["a note", { direction: "INTERNAL" }, null],
    ])(
      "201 with onClosed reopen for %s: it is posted, and the status is OPEN",
      async (...given) => {
        const [, fields, eventType] = given;
        const tenant = await newTenant();
        const { id, closed, seen } = await newClosed(tenant);

        const reply = await post(tenant, id, { text: "Again", onClosed: "reopen", ...fields });

        expect(reply).toMatchObject({ status: 201, body: { conversationId: id, sequence: 2 } });
        const reopened = await read(tenant, `/conversations/${id}`);
        expect(reopened).toMatchObject({
          status: "OPEN",
          closedAt: null,
          resolvedAt: null,
          messageCount: 2,
          tags: ["old"],
        });
        const events = (await eventsInOrder(tenant)).slice(seen);
        expect(events).toMatchObject([
          ...(eventType ? [{ type: eventType, data: { object: reply.body } }] : []),
          {
            type: "conversation.status_changed",
            data: {
              object: reopened,
              previousAttributes: {
                status: "CLOSED",
                closedAt: closed.closedAt,
                resolvedAt: closed.resolvedAt,
              },
            },
          },
        ]);
      },
    );

    test("201 with onClosed new posts it to a new conversation with the same channel, customer and agent", async () => {
      const tenant = await newTenant();
      const { id, customer, agent, seen } = await newClosed(tenant);
      const before = (await call(tenant, "GET", `/conversations/${id}`)).text;

      const reply = await post(tenant, id, { text: "Again", onClosed: "new" });

      const { conversationId } = reply.body;
      expect(reply).toMatchObject({
        status: 201,
        body: { sequence: 1, text: "Again", author: { id: customer.id, name: "Ada" } },
      });
      expect(conversationId).not.toBe(id);
      const made = await read(tenant, `/conversations/${conversationId}`);
      expect(made).toMatchObject({
        status: "OPEN",
        channelId: "mail",
        customerId: customer.id,
        agentId: agent.id,
        subject: null,
        tags: [],
        messageCount: 1,
        lastMessagePreview: "Again",
      });
      const messages = await read(tenant, `/conversations/${conversationId}/messages`);
      expect(messages.data).toEqual([reply.body]);
      expect((await call(tenant, "GET", `/conversations/${id}`)).text).toBe(before);
      expect((await read(tenant, `/customers/${customer.id}`)).conversationCount).toBe(2);
      expect((await eventsInOrder(tenant)).slice(seen)).toMatchObject([
        { type: "conversation.created", data: { object: made } },
        { type: "message.received", data: { object: reply.body } },
      ]);
    });

    test("201 with onClosed new for a note, which shows in no preview and raises no event of its own", async () => {
      const tenant = await newTenant();
      const { id, seen } = await newClosed(tenant);
      const note = { text: "For us", direction: "INTERNAL", onClosed: "new" };
      const { conversationId } = (await post(tenant, id, note)).body;
      expect(await read(tenant, `/conversations/${conversationId}`)).toMatchObject({
        messageCount: 1,
        lastMessageAt: null,
        lastMessagePreview: null,
      });
      const events = (await eventsInOrder(tenant)).slice(seen);
      expect(events.map(({ type }) => type)).toEqual(["conversation.created"]);
    });

    test.each(["reopen", "new"])(
      "201 once for 20 concurrent requests with one key and onClosed %s",
      async (onClosed) => {
        const tenant = await newTenant();
        const { id, seen } = await newClosed(tenant);
        const body = { text: "Again", onClosed };
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => patiently(() => post(tenant, id, body, "k"))),
        );
        expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        expect(replies[0]?.status).toBe(201);
        expect((await read(tenant, "/conversations")).data).toHaveLength(
          onClosed === "new" ? 2 : 1,
        );
        expect((await eventsInOrder(tenant)).slice(seen)).toHaveLength(2);
        expect((await post(tenant, id, body, "k")).text).toBe(replies[0]?.text);
      },
    );

    test("201 for 20 concurrent messages with onClosed reopen: numbered, and reopened once", async () => {
      const tenant = await newTenant();
      const { id, seen } = await newClosed(tenant);
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          patiently(() => post(tenant, id, { text: `${index}`, onClosed: "reopen" })),
        ),
      );
      expect(replies.map(({ body }) => body.sequence).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 2),
      );
      const types = (await eventsInOrder(tenant)).slice(seen).map(({ type }) => type);
      expect(types.filter((type) => type === "conversation.status_changed")).toHaveLength(1);
      expect(types).toHaveLength(21);
    });

    test.each(["reopen", "new"])(
      "201 in a conversation that is not closed, whatever onClosed says (%s)",
      async (onClosed) => {
        const tenant = await newTenant();
        for (const status of ["PENDING", "RESOLVED"]) {
          const { id } = await open(tenant);
          await call(tenant, "PATCH", `/conversations/${id}`, { status });
          const fields = { text: "Hi", author: { type: "API" }, onClosed };
          expect((await post(tenant, id, fields)).body.conversationId).toBe(id);
          expect((await read(tenant, `/conversations/${id}`)).status).toBe(status);
        }
      },
    );

    test("409 for a PATCH to any other status, 422 for an unknown onClosed, 404 for another tenant's conversation", async () => {
      const tenant = await newTenant();
      const { id } = await newClosed(tenant);
      const reopened = await call(tenant, "PATCH", `/conversations/${id}`, { status: "OPEN" });
      expect(reopened.status).toBe(409);
      for (const onClosed of ["REOPEN", "reject", null, true])
        expect(await post(tenant, id, { text: "Hi", onClosed })).toMatchObject({
          status: 422,
          body: { errors: [{ pointer: "/onClosed", location: "body" }] },
        });
      for (const other of [await newTenant(), await newKey(tenant, { environment: "live" })])
        for (const onClosed of ["reopen", "new"])
          expect((await post(other, id, { text: "Hi", onClosed })).status).toBe(404);
      expect((await read(tenant, "/conversations")).data).toHaveLength(1);
    });
  });

  test("404 for the messages of a missing conversation, and 200 with an empty list for one without messages", async () => {
    const tenant = await newTenant();
    const { id } = await open(tenant);
    expect((await call(tenant, "GET", `/conversations/${id}/messages`)).body).toEqual({ data: [] });
    const missing = "/conversations/cnv_00000000000000000000000000/messages";
    expect((await call(tenant, "GET", missing)).status).toBe(404);
    expect((await call(tenant, "POST", missing, { text: "x" })).status).toBe(404);
  });
});
