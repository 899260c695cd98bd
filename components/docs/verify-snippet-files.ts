/** The files of docs/verify-webhook. `isTested`: tests/unit/verify-snippets.test.ts runs it. */
export const verifySnippetFiles = [
  { name: "TypeScript", file: "verify.ts", language: "typescript", isTested: true },
  { name: "Python", file: "verify.py", language: "python", isTested: true },
  { name: "Go", file: "verify.go", language: "go", isTested: true },
  { name: "Ruby", file: "verify.rb", language: "ruby", isTested: false },
  { name: "PHP", file: "verify.php", language: "php", isTested: false },
  { name: "Java", file: "Webhooks.java", language: "java", isTested: true },
] as const;
