import { expect, test } from "vitest";
import { takeNew } from "@/components/notifications/pop-ups";

function newStorage() {
  const stored = new Map<string, string>();
  return {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  };
}

const withId = (...ids: string[]) => ids.map((id) => ({ id }));

test("each notification pops up once, and those from before the first look never do", () => {
  const storage = newStorage();
  expect(takeNew(storage, "/acme/live", withId("ntf_2", "ntf_1"))).toEqual([]);
  expect(takeNew(storage, "/acme/live", withId("ntf_4", "ntf_3", "ntf_2"))).toEqual(
    withId("ntf_4", "ntf_3"),
  );
  // The newest was read, so an older one comes first.
  expect(takeNew(storage, "/acme/live", withId("ntf_2"))).toEqual([]);
  expect(takeNew(storage, "/acme/live", withId("ntf_4", "ntf_2"))).toEqual([]);
});

test("the first notification of all pops up", () => {
  const storage = newStorage();
  expect(takeNew(storage, "/acme/live", [])).toEqual([]);
  expect(takeNew(storage, "/acme/live", withId("ntf_1"))).toEqual(withId("ntf_1"));
});

test("the tabs of two environments do not show each other's notifications again", () => {
  const storage = newStorage();
  for (const base of ["/acme/live", "/acme/test"]) takeNew(storage, base, []);
  expect(takeNew(storage, "/acme/live", withId("ntf_2"))).toHaveLength(1);
  expect(takeNew(storage, "/acme/test", withId("ntf_1"))).toHaveLength(1);
  expect(takeNew(storage, "/acme/live", withId("ntf_2"))).toEqual([]);
});
