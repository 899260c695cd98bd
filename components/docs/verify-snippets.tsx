import { readFile } from "node:fs/promises";
import path from "node:path";
import { Code } from "./code";
import { CodeTabs } from "./code-tabs";
import { verifySnippetFiles } from "./verify-snippet-files";

/**
 * Each file is shown unchanged. The tests run the files for which the machine has an interpreter.
 */
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
              ? "Our tests run this code with valid, forged, old and future signatures, and with two secrets."
              : "Our tests cannot run this code, because they have no interpreter for it. Try it with a test delivery."}
          </p>
        </>
      ),
    })),
  );
  return <CodeTabs label="Language" tabs={tabs} />;
}
