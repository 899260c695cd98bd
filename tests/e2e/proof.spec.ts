import { queryDatabase } from "./database";
import { password, signUp } from "./sign-up";
import { expect, test } from "./test";

test("a live key requires the password again if the last proof is old, and the input stays", async ({
  page,
}) => {
  const { email } = await signUp(page);
  const age =
    "UPDATE sessions SET proved_at = now() - interval '11 minutes' WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await queryDatabase(age, [email]);

  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("Billing");
  await page.getByLabel("Live").check();
  await page.getByRole("button", { name: "Create live key" }).click();

  const question = page.getByRole("dialog", { name: "Confirm your identity" });
  await expect(question).toContainText("create a live key");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("Nothing was changed")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveValue("Billing");

  await page.getByRole("button", { name: "Create live key" }).click();
  await question.getByLabel("Password").fill("wrong password");
  await question.getByRole("button", { name: "Confirm" }).click();
  await expect(question.getByText("The password is incorrect.")).toBeVisible();
  await question.getByLabel("Password").fill(password);
  await question.getByLabel("Password").press("Enter");
  await expect(question).toBeHidden();
  await expect(page.getByLabel("API key", { exact: true })).toHaveValue(/^prl_live_/);
});
