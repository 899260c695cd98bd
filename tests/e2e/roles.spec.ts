import { queryDatabase } from "./database";
import { signUp } from "./sign-up";
import { expect, test } from "./test";

test("a role change applies immediately, even on a page that is already open", async ({ page }) => {
  const { email } = await signUp(page);
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("Kept");
  await page.getByRole("button", { name: "Create test key" }).click();
  await page.getByLabel("I have saved the API key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  const demotion =
    "UPDATE memberships SET role = 'MEMBER' WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await queryDatabase(demotion, [email]);

  await page.getByRole("button", { name: "Actions for Kept" }).click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByText("Only owners and admins may revoke API keys.")).toBeVisible();

  await page.reload();
  await expect(
    page.getByText("Only owners and admins may create, edit and revoke API keys."),
  ).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "Kept" })).toContainText("prl_test_…");
  await expect(page.getByRole("button", { name: /Actions for|Create API key/ })).toHaveCount(0);
});
