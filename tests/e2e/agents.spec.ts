import type { APIRequestContext, Page } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

/**
 * A new user on the draft page of an agent, with functions to change the agent through the API.
 */
async function begin(page: Page, request: APIRequestContext) {
  const { email, tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  await page.goto(`/${tenantSlug}/test/agents`);
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Support");
  await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
  await expect(page).toHaveURL(/\/agents\/agt_[0-9A-Z]{26}$/);
  await expect(page.getByRole("heading", { level: 1, name: "Support" })).toBeVisible();
  const id = page.url().split("/").at(-1) ?? "";

  const agentPath = `/v1/public/agents/${id}`;
  const agent = async () => (await request.get(agentPath, { headers })).json();
  const patch = async (data: object) =>
    expect((await request.patch(agentPath, { headers, data })).status()).toBe(200);
  return {
    email,
    path: `/${tenantSlug}/test/agents/${id}`,
    agents: `/${tenantSlug}/test/agents`,
    agent,
    patch,
  };
}

const dialog = (page: Page) => page.getByRole("alertdialog");
const save = (page: Page) => page.getByRole("button", { name: "Save draft" });

async function saveDraft(page: Page) {
  await save(page).click();
  await expect(page.getByText("All saved")).toBeVisible();
}

async function publish(page: Page, version: number) {
  await page.getByRole("button", { name: "Publish…" }).click();
  await dialog(page)
    .getByRole("button", { name: `Publish version ${version}` })
    .click();
  await expect(dialog(page)).toBeHidden();
}

test("errors of a new agent appear next to the fields, and the input stays", async ({ page }) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/agents`);
  await expect(page.getByText("No test agents yet")).toBeVisible();
  await expect(page.getByText(/curl .*\/v1\/public\/agents/)).toBeVisible();

  await page.getByRole("button", { name: "Create agent" }).click();
  await expect(page.getByRole("dialog")).toContainText("test");
  await page.getByLabel("Name", { exact: true }).fill("   ");
  await page.getByLabel("Description").fill("First line");
  await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Description")).toHaveValue("First line");
});

test("a draft is edited and published, and later API changes stay in the draft @full", async ({
  page,
  request,
}) => {
  const { agents, agent, patch } = await begin(page, request);
  await page.getByLabel("Instructions", { exact: true }).fill("Be kind.\nNever promise a date.");
  await page.getByLabel("Temperature").fill("0.3");
  await page.getByRole("button", { name: "Add a key" }).click();
  await page.getByLabel("Key 1", { exact: true }).fill("seats");
  await page.getByLabel("Type of value 1").selectOption("number");
  await page.getByLabel("Value 1", { exact: true }).fill("3");

  // Unsaved changes are not published by accident.
  await page.getByRole("button", { name: "Publish…" }).click();
  await expect(dialog(page)).toContainText("has unsaved changes, which would not be published");
  await expect(dialog(page).getByRole("button", { name: "Publish version 1" })).toBeDisabled();
  await dialog(page).getByRole("button", { name: "Save the draft" }).click();
  await expect(dialog(page).getByRole("button", { name: "Publish version 1" })).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await page.getByLabel("Description").fill("Answers first");
  await page.getByLabel("Description").press("Control+s");
  await expect(page.getByText("All saved")).toBeVisible();
  expect(await agent()).toMatchObject({
    ...{
      status: "DRAFT",
      instructions: "Be kind.\nNever promise a date.",
      temperature: 0.3,
      metadata: { seats: 3 },
    },
  });

  // What is published is what the dialog shows, which follows a save a moment later.
  await page.getByRole("button", { name: "Publish…" }).click();
  await expect(dialog(page)).toContainText("Answers first");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await publish(page, 1);
  expect(await agent()).toMatchObject({
    status: "PUBLISHED",
    publishedVersion: 1,
    hasUnpublishedChanges: false,
  });
  await expect(page.getByText("is the same as version 1")).toBeVisible();
  await expect(page.getByRole("button", { name: "Publish…" })).toBeHidden();

  await patch({ greeting: "Hello!" });
  await page.reload();
  await expect(
    page.getByText("Version 1 remains published until a member publishes another one"),
  ).toBeVisible();
  await page.goto(agents);
  await expect(page.getByRole("row").filter({ hasText: "Support" })).toContainText(
    "Unpublished changes",
  );
  await expect(page.getByRole("row").filter({ hasText: "Support" })).toContainText("Version 1");
});

test("saving does not overwrite API changes made in the meantime @full", async ({
  page,
  request,
}) => {
  const { agent, patch } = await begin(page, request);
  await page.getByLabel("Instructions", { exact: true }).fill("Mine.");
  await patch({ greeting: "Theirs.", metadata: { team: "blue" } });

  await save(page).click();
  const notice = page.getByRole("alert").filter({ hasText: "has changed since you opened it" });
  await expect(notice).toContainText("nothing was saved");
  await expect(notice).toContainText("greeting, metadata");
  await expect(page.getByLabel("Greeting", { exact: true })).toHaveValue("Theirs.");
  await expect(page.getByLabel("Key 1", { exact: true })).toHaveValue("team");
  await expect(page.getByLabel("Instructions", { exact: true })).toHaveValue("Mine.");
  expect(await agent()).toMatchObject({ instructions: null });
  await saveDraft(page);
  expect(await agent()).toMatchObject({
    instructions: "Mine.",
    greeting: "Theirs.",
    metadata: { team: "blue" },
  });

  // Both changed the same field: both values are shown to choose from.
  await page.getByLabel("Instructions", { exact: true }).fill("Mine again.");
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await patch({ instructions: "Theirs again.", name: "Theirs" });
  await save(page).click();
  await expect(notice).toContainText("Changed by both: name, instructions");
  await expect(page.getByText("Theirs again.", { exact: true })).toBeVisible();
  await expect(page.getByLabel("Instructions", { exact: true })).toHaveValue("Mine again.");
  await page.getByRole("button", { name: "Use the draft's instructions" }).click();
  await expect(page.getByLabel("Instructions", { exact: true })).toHaveValue("Theirs again.");
  await saveDraft(page);
  expect(await agent()).toMatchObject({ name: "Mine", instructions: "Theirs again." });
});

test("a save by a page that does not know yet that its draft was published is not refused @full", async ({
  page,
  request,
}) => {
  const { path, agent } = await begin(page, request);
  const other = await page.context().newPage();
  await other.goto(path);
  await publish(other, 1);
  await page.getByLabel("Instructions", { exact: true }).fill("Be kind.");
  await saveDraft(page);
  await expect(page.getByRole("alert").filter({ hasText: "nothing was saved" })).toBeHidden();
  expect(await agent()).toMatchObject({ publishedVersion: 1, instructions: "Be kind." });
});

test("publishing publishes only what was shown: an API change in the meantime is shown first @full", async ({
  page,
  request,
}) => {
  const { agent, patch } = await begin(page, request);
  await patch({ instructions: "Be kind.\nAnswer in three sentences." });
  await page.reload();
  await publish(page, 1);
  await page.getByLabel("Instructions", { exact: true }).fill("Be kind.\nAnswer in two sentences.");
  await saveDraft(page);

  await page.getByRole("button", { name: "Publish…" }).click();
  await expect(dialog(page).locator("del")).toHaveText("three");
  await expect(dialog(page).locator("ins")).toHaveText("two");
  await patch({ greeting: "Buy now!" });
  await dialog(page).getByRole("button", { name: "Publish version 2" }).click();

  await expect(dialog(page).getByRole("alert")).toContainText("so nothing was published");
  await expect(dialog(page)).toContainText("Buy now!");
  expect(await agent()).toMatchObject({ publishedVersion: 1, hasUnpublishedChanges: true });

  await dialog(page).getByRole("button", { name: "Publish version 2" }).click();
  await expect(dialog(page)).toBeHidden();
  expect(await agent()).toMatchObject({
    publishedVersion: 2,
    hasUnpublishedChanges: false,
    greeting: "Buy now!",
  });
});

test("versions can be compared and rolled back to, and an archived agent is read-only", {
  tag: "@full",
}, async ({ page, request }) => {
  const { path, agent, patch } = await begin(page, request);
  for (const [version, greeting] of ["Hello!", "Good day!"].entries()) {
    await patch({ greeting });
    await page.reload();
    await publish(page, version + 1);
  }
  await patch({ greeting: "Never published" });

  await page.getByRole("link", { name: "Versions 2" }).click();
  const row = (version: number) => page.getByRole("row").filter({ hasText: `Version ${version}` });
  await expect(row(2)).toContainText("Ada Lovelace");
  await expect(row(2)).toContainText("Greeting");
  await page.getByLabel("Compare").selectOption("1");
  await page.getByLabel("with").selectOption("2");
  await page.getByRole("button", { name: "Compare versions" }).click();
  await expect(page).toHaveURL(`${path}/versions/compare?from=1&to=2`);
  await expect(page.getByText("Removed: Hello!")).toBeVisible();
  await expect(page.getByText("Added: Good day!")).toBeVisible();

  await page.goto(`${path}/versions/1`);
  await page.getByRole("button", { name: "Roll back to version 1" }).click();
  await expect(dialog(page)).toContainText("published immediately as version 3");
  await expect(dialog(page)).toContainText("unpublished changes are lost");
  await expect(dialog(page)).toContainText("Never published");
  await dialog(page).getByRole("button", { name: "Roll back to version 1" }).click();
  await expect(dialog(page)).toBeHidden();
  expect(await agent()).toMatchObject({
    greeting: "Hello!",
    publishedVersion: 3,
    hasUnpublishedChanges: false,
  });
  await page.goto(`${path}/versions`);
  await expect(row(3)).toContainText("Rolled back to version 1");

  await page.goto(path);
  await page.getByRole("button", { name: "Archive…" }).click();
  await expect(dialog(page)).toContainText("cannot be undone");
  await dialog(page).getByRole("button", { name: "Archive agent" }).click();
  await expect(page.getByText("Content when it was archived")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save draft" })).toBeHidden();
  expect((await agent()).status).toBe("ARCHIVED");
  await expect(page.getByText("archived and read-only").first()).toBeVisible();
});

test("a viewer sees everything and why there are no buttons, and a page that is still open cannot save @full", async ({
  page,
  request,
}) => {
  const { email, path, agents, agent } = await begin(page, request);
  await page.getByLabel("Instructions", { exact: true }).fill("Not to be saved");
  await queryDatabase(
    "UPDATE memberships SET role = 'VIEWER' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [email],
  );
  await save(page).click();
  await expect(page.getByText("Only owners, admins and members may change agents.")).toBeVisible();
  expect((await agent()).instructions).toBeNull();

  await page.getByRole("button", { name: "Discard" }).click();
  await page.goto(path);
  await expect(
    page.getByText("Only owners, admins and members may change and publish agents."),
  ).toBeVisible();
  await expect(page.getByLabel("Instructions", { exact: true })).toBeHidden();
  await page.goto(agents);
  await expect(page.getByText("Only owners, admins and members may create agents.")).toBeVisible();
});

test("axe reports no violations on the pages of a published agent, and they fit 390 px", {
  tag: "@full",
}, async ({ page, request }) => {
  const { path, patch } = await begin(page, request);
  await patch({ instructions: "Be kind.\nAnswer in three sentences.", metadata: { plan: "gold" } });
  await page.reload();
  await publish(page, 1);
  await patch({ instructions: "Be kind.\nAnswer in two sentences.", model: "large-1" });
  await page.reload();
  await publish(page, 2);
  await patch({ greeting: "Hello!" });

  const looks = [{ name: "light", colorScheme: "light" as const, width: 1280 }];
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    for (const part of ["", "/versions", "/versions/2", "/versions/compare?from=1&to=2"]) {
      await page.goto(`${path}${part}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectNoOverflow(page, `${name} ${part}`);
      await expectNoViolations(page, `${name} ${part}`);
    }
    await page.goto(path);
    await page.getByRole("button", { name: "Publish…" }).click();
    await expect(dialog(page)).toContainText("Changes from version 2");
    await expectNoViolations(page, `${name} publish`);
  }
});
