import { readFile } from "node:fs/promises";
import path from "node:path";
import { Code } from "./code";
import { CodeTabs } from "./code-tabs";
import { verifySnippetFiles } from "./verify-snippet-files";

/** Each file is shown as it is; the tests run those whose language they find on the machine. */
export async function VerifySnippets() {
  const tabs = await Promise.all(
    verifySnippetFiles.map(async ({ name, file, language, isTested }) => ({
      name,
      content: (
        <>
          <Code
            code={await readFile(path.join(process.cwd(), "docs/verify-webhook", file), "utf8")}
            language={language}
            title={file}
          />
          <p className="text-muted text-sm">
            {isTested
              ? "Run by our tests against real signatures: right, forged, old, from the future, and with two secrets."
              : "Not run by our tests, which have no interpreter for it. Try it against a test delivery."}
          </p>
        </>
      ),
    })),
  );
  return <CodeTabs label="Language" tabs={tabs} />;
}
