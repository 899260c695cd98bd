import { expect, test } from "vitest";
import { returnPath } from "@/lib/auth/return-path";

test.each([
  ["/acme/live/api-keys?page=2", "/acme/live/api-keys?page=2"],
  ["http://localhost:3000/acme", "/acme"],
])("%s leads back to %s", (requested, path) => {
  expect(returnPath(requested)).toBe(path);
});

test.each([
  "https://elsewhere.example/",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "/\t/elsewhere.example",
  "http://localhost:3000//elsewhere.example",
  "http://localhost:3000@elsewhere.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  "/api/auth/signout",
  "http://[",
  "",
  undefined,
  ["/acme"],
])("%s leads home", (requested) => {
  expect(returnPath(requested)).toBe("/");
});
