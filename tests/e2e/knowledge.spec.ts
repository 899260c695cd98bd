import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { pdfOf, png } from "../support/files";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

const sentence = "Lamps that arrive broken are replaced at once.";

type File = { name: string; mimeType: string; buffer: Buffer };

const file = (name: string, content: string | Buffer): File => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content),
});

/** A new user on the page of their knowledge base. */
async function begin(page: Page, language?: string) {
  const { email, tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/knowledge`);
  await page.getByRole("button", { name: "Create knowledge base" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Shop manual");
  if (language) await page.getByLabel("Language").selectOption(language);
  await page.getByRole("dialog").getByRole("button", { name: "Create knowledge base" }).click();
  await expect(page).toHaveURL(/\/knowledge\/kb_[0-9A-Z]{26}$/);
  await expect(page.getByText("No documents yet")).toBeVisible();
  const path = new URL(page.url()).pathname;
  const id = path.split("/").at(-1) ?? "";
  return {
    email,
    tenantSlug,
    path,
    id,
    uploadUrl: `/api/dashboard/${tenantSlug}/test/knowledge-bases/${id}/documents`,
  };
}

const choose = (page: Page, ...files: File[]) =>
  page.getByLabel("Files to upload").setInputFiles(files);
const upload = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

test("files are uploaded with their progress and processed, and each shows its own error", async ({
  page,
}) => {
  const { path } = await begin(page);
  // Slow enough to see the progress.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const throttle = { offline: false, latency: 50, downloadThroughput: -1 };
  await devtools.send("Network.emulateNetworkConditions", {
    ...throttle,
    uploadThroughput: 40_000,
  });

  await choose(
    page,
    file("manual.pdf", pdfOf(["Shipping takes two days.", sentence], { sizeBytes: 400_000 })),
    file("broken.pdf", "%PDF-1.4\nnothing more"),
    file("logo.png", png),
    file("huge.txt", Buffer.alloc(20 * 1_024 ** 2 + 1, "a")),
  );
  const progress = page.getByRole("progressbar", { name: "Upload of manual.pdf" });
  await expect
    .poll(async () => Number(await progress.getAttribute("aria-valuenow")))
    .toBeGreaterThan(0);
  await devtools.send("Network.emulateNetworkConditions", { ...throttle, uploadThroughput: -1 });

  await expect(upload(page, "manual.pdf")).toContainText("Uploaded.");
  await expect(upload(page, "logo.png")).toContainText(
    "A document must be a txt, md, html, csv, json, pdf or docx file.",
  );
  await expect(upload(page, "huge.txt")).toContainText("A file can be at most 20 MiB");
  await expect(
    page.getByRole("status").filter({ hasText: "2 of 4 uploaded, 2 not" }),
  ).toBeVisible();
  await expect(row(page, "manual.pdf")).toContainText("Ready");
  await expect(row(page, "broken.pdf")).toContainText(
    "The file is damaged, or its content does not match its type.",
  );
  await expect(page.getByText("1 ready")).toBeVisible();

  // The same bytes again: the error links to the existing document.
  await page.getByRole("button", { name: "Clear the list" }).click();
  await choose(page, file("copy.pdf", "%PDF-1.4\nnothing more"));
  await upload(page, "copy.pdf").getByRole("link", { name: "Show that document" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "broken.pdf" })).toBeVisible();
  await expect(
    page.getByText("Open the file, save it again, and upload the new copy."),
  ).toBeVisible();
  await page.getByRole("button", { name: "Retry broken.pdf" }).click();
  await expect(page.getByText("Processing “broken.pdf” again.")).toBeVisible();
  await expect(
    page.getByText("The file is damaged, or its content does not match its type.", { exact: true }),
  ).toBeVisible();

  await page.getByRole("button", { name: "Delete broken.pdf" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete document" }).click();
  await expect(page).toHaveURL(path);
  await expect(row(page, "manual.pdf")).toBeVisible();
  await expect(row(page, "broken.pdf")).toBeHidden();
});

test("a failed document is retried without an upload, and its text is found and highlighted @full", async ({
  page,
}) => {
  const { path } = await begin(page);
  await choose(page, file("manual.pdf", pdfOf(["Shipping takes two days.", sentence])));
  await expect(row(page, "manual.pdf")).toContainText("Ready");

  // As if the blob store had been unavailable during processing.
  const id = await row(page, "manual.pdf")
    .locator("code")
    .filter({ hasText: /^doc_/ })
    .textContent();
  const failed =
    "UPDATE documents SET status = 'FAILED', error_code = 'internal', error_message = 'Something went wrong on our side. Try again.' WHERE id = $1";
  await queryDatabase(failed, [id]);
  await queryDatabase(
    "UPDATE knowledge_bases SET ready_count = 0, failed_count = 1 WHERE id = (SELECT knowledge_base_id FROM documents WHERE id = $1)",
    [id],
  );
  await page.goto(`${path}?status=FAILED`);
  await expect(row(page, "manual.pdf")).toContainText("Something went wrong on our side.");
  await page.goto(path);
  await page.getByRole("button", { name: "Retry manual.pdf" }).click();
  await expect(row(page, "manual.pdf")).toContainText("Ready");

  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByLabel("Query").fill('"broken are replaced" lamps');
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const hit = page.getByRole("list", { name: "Results" }).getByRole("listitem");
  await expect(hit).toHaveCount(1);
  await expect(hit.locator("mark")).toHaveText(["Lamps", "broken", "are", "replaced"]);
  await hit.getByRole("link", { name: "manual.pdf" }).click();
  await expect(page.getByRole("heading", { name: "Extracted text" })).toBeVisible();
  await expect(page.getByText(sentence)).toBeVisible();

  await page.goto(`${path}/search?q=lamp`);
  await expect(page.getByText("No results")).toBeVisible();
});

test("a knowledge base with a language finds words in other forms @full", async ({ page }) => {
  const { path } = await begin(page, "English");
  await expect(page.getByText("English", { exact: true })).toBeVisible();
  await choose(page, file("manual.txt", sentence));
  await expect(row(page, "manual.txt")).toContainText("Ready");
  await page.goto(`${path}/search?q=replacing the lamp`);
  const hit = page.getByRole("list", { name: "Results" }).getByRole("listitem");
  await expect(hit.locator("mark")).toHaveText(["Lamps", "replaced"]);
  await expect(page.getByText("in any of their forms")).toBeVisible();
  await expectNoViolations(page, "a search in a language");
});

test("a document is renamed, downloaded and replaced, and found in several knowledge bases @full", async ({
  page,
}) => {
  const { path, tenantSlug } = await begin(page, "English");
  await choose(page, file("manual.txt", sentence));
  await row(page, "manual.txt").getByRole("link", { name: "manual.txt" }).click();
  await expect(page.getByText(sentence)).toBeVisible();

  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("Name", { exact: true }).fill("guide.txt");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "guide.txt" })).toBeVisible();

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("guide.txt");
  expect(await readFile(await download.path(), "utf8")).toBe(sentence);

  await page.getByRole("button", { name: "Replace file…" }).click();
  await page.getByLabel("File", { exact: true }).setInputFiles([file("new.txt", "Mirrors.")]);
  await page.getByRole("button", { name: "Replace file", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "new.txt" })).toBeVisible();
  await expect(page.getByText("Mirrors.", { exact: true })).toBeVisible();

  await page.goto(`/${tenantSlug}/test/knowledge`);
  await page.getByRole("button", { name: "Create knowledge base" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Second");
  await page.getByRole("dialog").getByRole("button", { name: "Create knowledge base" }).click();
  await expect(page.getByText("No documents yet")).toBeVisible();
  await choose(page, file("lamps.txt", sentence));
  await expect(row(page, "lamps.txt")).toContainText("Ready");

  await page.goto(`${path}/search`);
  await page.getByText("Search other knowledge bases, too").click();
  await page.getByLabel("Second").check();
  await page.getByLabel("Query").fill("a mirror or replacing lamps");
  await page.getByLabel("Match").selectOption("Any word");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const hits = page.getByRole("list", { name: "Results" }).getByRole("listitem");
  await expect(hits).toHaveCount(2);
  await expect(hits.filter({ hasText: "new.txt" }).locator("mark")).toHaveText(["Mirrors"]);
  await expect(hits.filter({ hasText: "lamps.txt" })).toContainText("Second");
  await expectNoViolations(page, "a search of two knowledge bases");
});

test("pasted markup stays text, and a large file arrives unchanged", { tag: "@full" }, async ({
  page,
}) => {
  const { path } = await begin(page);
  await page.getByRole("button", { name: "Paste text…" }).click();
  await expect(page.getByRole("dialog")).toContainText("test");
  await page.getByLabel("Name", { exact: true }).fill("hours.md");
  await page
    .getByLabel("Text", { exact: true })
    .fill("Open from nine to five.\n<img src=x onerror=alert(1)> & more");
  await page.getByRole("button", { name: "Add document" }).click();
  await expect(row(page, "hours.md")).toContainText("Ready");
  await row(page, "hours.md").getByRole("link", { name: "hours.md" }).click();
  await expect(page.getByText("<img src=x onerror=alert(1)> & more").first()).toBeVisible();
  await expect(page.getByText("Markdown (text/markdown)")).toBeVisible();

  // More than Next allows for requests that pass its proxy.
  const content = Buffer.alloc(12 * 1_024 ** 2, "lorem ipsum dolor sit amet\n");
  await page.goto(path);
  await choose(page, file("large.txt", content));
  await upload(page, "large.txt").getByRole("link", { name: "Show the document" }).click();
  await expect(
    page.getByText(createHash("sha256").update(content).digest("hex"), { exact: true }),
  ).toBeVisible();
  await expect(page.getByText("Chunk 20", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(page.getByText("Chunk 21", { exact: true })).toBeVisible();
});

test("files are selected with the keyboard, dropped with the mouse, and sent again after the connection was lost @full", async ({
  page,
}) => {
  const { path } = await begin(page);
  // A new visit, because the dialog that created the knowledge base restores the focus some time after
  // it has closed.
  await page.goto(path);
  const button = page.getByRole("button", { name: "Choose files" });
  await button.focus();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.keyboard.press("Enter"),
  ]);
  expect(chooser.isMultiple()).toBe(true);
  await chooser.setFiles([file("chosen.txt", "Chosen")]);
  await expect(row(page, "chosen.txt")).toBeVisible();

  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    for (const name of ["first.txt", "second.txt"]) transfer.items.add(new File([name], name));
    return transfer;
  });
  await page.getByText("Drop files here, or").dispatchEvent("drop", { dataTransfer: dropped });
  await expect(row(page, "first.txt")).toBeVisible();
  await expect(row(page, "second.txt")).toBeVisible();

  await page.route("**/api/dashboard/**", (route) => route.abort("connectionreset"), { times: 1 });
  await choose(page, file("unlucky.txt", "Unlucky"));
  await expect(upload(page, "unlucky.txt")).toContainText("The connection was lost. Try again.");
  await page.getByRole("button", { name: "Send unlucky.txt again" }).click();
  await expect(upload(page, "unlucky.txt")).toContainText("Uploaded.");
});

test("the upload route accepts requests from our own pages and members only @full", async ({
  page,
  playwright,
}) => {
  const { email, tenantSlug, uploadUrl } = await begin(page);
  const origin = new URL(page.url()).origin;
  const post = async (
    headers: Record<string, string>,
    sent: File = file("a.txt", "Text"),
    url = uploadUrl,
  ) => {
    const response = await page.request.post(url, { headers, multipart: { file: sent } });
    return { status: response.status(), text: await response.text() };
  };

  expect(await post({})).toMatchObject({
    status: 403,
    text: expect.stringContaining("must come from a Parlance page"),
  });
  expect((await post({ origin: "https://elsewhere.example" })).status).toBe(403);
  expect((await post({ origin: "null" })).status).toBe(403);
  expect(
    (await post({ origin }, file("a.txt", "Text"), uploadUrl.replace(tenantSlug, "demo"))).status,
  ).toBe(404);
  expect(
    (await post({ origin }, file("a.txt", "Text"), uploadUrl.replace("/test/", "/live/"))).status,
  ).toBe(404);
  expect((await post({ origin }, file("a.png", png))).status).toBe(415);
  expect(
    (await post({ origin }, file("a.txt", Buffer.alloc(20 * 1_024 ** 2 + 1, "a")))).status,
  ).toBe(413);
  expect(
    (
      await page.request.post(uploadUrl, { headers: { origin }, multipart: { name: "x" } })
    ).status(),
  ).toBe(422);
  expect((await post({ origin })).status).toBe(201);

  const anonymous = await playwright.request.newContext({ baseURL: origin });
  const unknown = await anonymous.post(uploadUrl, {
    headers: { origin },
    multipart: { file: file("a.txt", "Text") },
  });
  expect(unknown.status()).toBe(401);
  await anonymous.dispose();

  await queryDatabase(
    "UPDATE memberships SET role = 'VIEWER' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [email],
  );
  expect(await post({ origin }, file("b.txt", "Other text"))).toMatchObject({
    status: 403,
    text: expect.stringContaining("Only owners, admins and members may upload documents."),
  });
  await page.reload();
  await expect(
    page.getByText("Only owners, admins and members may upload, retry and delete documents."),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Choose files" })).toBeHidden();
  await expect(row(page, "a.txt")).toBeVisible();
  await expect(page.getByRole("button", { name: /Delete/ })).toBeHidden();
});

test("axe reports no violations on the pages of a knowledge base, and they fit 390 px", {
  tag: "@full",
}, async ({ page }) => {
  const { path } = await begin(page);
  await choose(
    page,
    file("manual.pdf", pdfOf([sentence])),
    file("broken.pdf", "%PDF-1.4\nnothing more"),
    file("logo.png", png),
  );
  await expect(row(page, "manual.pdf")).toContainText("Ready");
  await expect(row(page, "broken.pdf")).toContainText("Failed");
  const hrefs = await Promise.all(
    ["manual.pdf", "broken.pdf"].map((name) =>
      row(page, name).getByRole("link").getAttribute("href"),
    ),
  );

  const looks = [{ name: "light", colorScheme: "light" as const, width: 1280 }];
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    // With the list of uploads, which a visit to another page clears.
    await page.goto(path);
    await choose(page, file("copy.pdf", "%PDF-1.4\nnothing more"), file("logo.png", png));
    await expect(
      page.getByRole("status").filter({ hasText: "0 of 2 uploaded, 2 not" }),
    ).toBeVisible();
    await expectNoOverflow(page, `${name} uploads`);
    await expectNoViolations(page, `${name} uploads`);
    for (const part of [`${path}/search?q=lamps`, ...hrefs.map((href) => href ?? "")]) {
      await page.goto(part);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectNoOverflow(page, `${name} ${part}`);
      await expectNoViolations(page, `${name} ${part}`);
    }
  }
});

test("knowledge bases are sorted by a column of the table, in the URL and for screen readers", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  for (const name of ["beta", "Alpha", "Gamma"])
    await page.request.post("/v1/public/knowledge-bases", { headers, data: { name } });
  await page.goto(`/${tenantSlug}/test/knowledge`);
  const names = page.getByRole("rowheader").getByRole("link");
  const heading = (name: string) => page.getByRole("columnheader", { name });
  await expect(names).toHaveText(["Gamma", "Alpha", "beta"]);
  await expect(heading("Created")).toHaveAttribute("aria-sort", "descending");
  await heading("Knowledge base").getByRole("link").click();
  await expect(names).toHaveText(["Alpha", "beta", "Gamma"]);
  await expect(page).toHaveURL(/sort=name&order=asc/);
  await expect(heading("Knowledge base")).toHaveAttribute("aria-sort", "ascending");
  await expectNoViolations(page, "sorted knowledge bases");
  await heading("Knowledge base").getByRole("link").click();
  await expect(names).toHaveText(["Gamma", "beta", "Alpha"]);
  // The largest first.
  await heading("Size").getByRole("link").click();
  await expect(heading("Size")).toHaveAttribute("aria-sort", "descending");
  for (const list of ["webhooks", "agents", "api-keys"]) {
    const column = { webhooks: "url", agents: "name", "api-keys": "lastUsedAt" }[list];
    const response = await page.goto(`/${tenantSlug}/test/${list}?sort=${column}&order=asc`);
    expect(response?.status()).toBe(200);
  }
});
