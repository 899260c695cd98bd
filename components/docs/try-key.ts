import { useSyncExternalStore } from "react";

// The key of all "Try it" forms. A test key stays in this tab, so that it is entered once. Anything
// else, such as a live key, stays in memory and is forgotten with the page.

const storageName = "parlance.test-key";
const testKey = /^\w+_test_[0-9A-Za-z]{40}$/;

let key: string | null = null;
const watchers = new Set<() => void>();

function readKey(): string {
  try {
    key ??= sessionStorage.getItem(storageName) ?? "";
  } catch {
    // Some browsers offer no storage. The key then lasts as long as the page.
    key = "";
  }
  return key;
}

export function setKey(entered: string): void {
  key = entered.trim();
  try {
    if (testKey.test(key)) sessionStorage.setItem(storageName, key);
    else sessionStorage.removeItem(storageName);
  } catch {
    // As above.
  }
  for (const watcher of watchers) watcher();
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export const useKey = (): string => useSyncExternalStore(watch, readKey, () => "");

/** The key if it is a complete test key, or null. */
export function useTestKey(): string | null {
  const entered = useKey();
  return testKey.test(entered) ? entered : null;
}
