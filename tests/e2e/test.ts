import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Locator,
  type Page,
  type Request,
} from "@playwright/test";

export { expect };

// A server-rendered page shows its buttons before they have event handlers, and a dialog is visible
// before it handles keys. Visibility is therefore not enough for tests to act: every visit
// waits until React has hydrated the whole page, and every action waits until React has run the
// effects of what it rendered last. A visit also waits for the writes that the page has sent, as it
// would cancel them.

/** React reports its commits to this hook, which developer tools use, in production builds too. */
function observeReact(): void {
  type Fiber = {
    tag: number;
    flags: number;
    subtreeFlags: number;
    memoizedState: { isDehydrated?: boolean; dehydrated?: unknown } | null;
    child: Fiber | null;
    sibling: Fiber | null;
  };
  type Root = { current: Fiber; pendingLanes: number; suspendedLanes: number };
  const passiveEffectFlags = 10_256;
  const suspenseTag = 13;
  const roots = new Map<Root, { hasPendingEffects: boolean }>();

  function isHydrated(fiber: Fiber | null): boolean {
    for (let current = fiber; current; current = current.sibling) {
      if (current.tag === suspenseTag && current.memoizedState?.dehydrated) return false;
      if (!isHydrated(current.child)) return false;
    }
    return true;
  }

  function isSettled(): boolean {
    if (roots.size === 0) return !document.querySelector('script[src*="/_next/"]');
    return [...roots].every(
      ([root, { hasPendingEffects }]) =>
        !hasPendingEffects &&
        (root.pendingLanes & ~root.suspendedLanes) === 0 &&
        !root.current.memoizedState?.isDehydrated &&
        isHydrated(root.current.child),
    );
  }

  Object.assign(window, {
    isReactSettled: isSettled,
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberUnmount: () => {},
      onCommitFiberRoot: (_renderer: number, root: Root) => {
        const { flags, subtreeFlags } = root.current;
        roots.set(root, { hasPendingEffects: ((flags | subtreeFlags) & passiveEffectFlags) !== 0 });
      },
      onPostCommitFiberRoot: (_renderer: number, root: Root) =>
        void roots.set(root, { hasPendingEffects: false }),
    },
  });
}

/** Resolves once the page is hydrated and React has nothing left to render or to run. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (window as unknown as { isReactSettled?: () => boolean }).isReactSettled?.() ?? true,
  );
}

/** Resolves once no request of the page that may change something is in flight. */
function trackWrites(page: Page): () => Promise<void> {
  const writes = new Set<Request>();
  let notify = () => {};
  const end = (request: Request) => {
    if (writes.delete(request) && writes.size === 0) notify();
  };
  page.on("request", (request) => request.method() !== "GET" && writes.add(request));
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  return async () => {
    await settled(page);
    if (writes.size > 0) await new Promise<void>((resolve) => (notify = resolve));
  };
}

/** The actions of a locator. They first wait for the element and for its page to be hydrated. */
function waitInLocators(page: Page): void {
  const locator = Object.getPrototypeOf(page.locator("html"));
  if (patched.has(locator)) return;
  patched.add(locator);
  for (const name of actions) {
    const act: (this: Locator, ...parameters: unknown[]) => Promise<unknown> = locator[name];
    locator[name] = async function (this: Locator, ...parameters: unknown[]) {
      await this.waitFor({ state: "attached" });
      await settled(this.page());
      return act.apply(this, parameters);
    };
  }
}

const patched = new WeakSet();
const actions = [
  "check",
  "click",
  "dblclick",
  "dispatchEvent",
  "fill",
  "focus",
  "press",
  "selectOption",
  "setInputFiles",
  "uncheck",
] as const;

function waitForHydration(page: Page): void {
  waitInLocators(page);
  const { goto, reload, goBack } = page;
  const { press, type } = page.keyboard;
  const written = trackWrites(page);
  page.goto = async (...parameters) => {
    await written();
    const response = await goto.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.reload = async (...parameters) => {
    await written();
    const response = await reload.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.goBack = async (...parameters) => {
    await written();
    const response = await goBack.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.keyboard.press = async (...parameters) => {
    await settled(page);
    await press.apply(page.keyboard, parameters);
  };
  page.keyboard.type = async (...parameters) => {
    await settled(page);
    await type.apply(page.keyboard, parameters);
  };
}

/** Clicks a copy button. @returns the copied text, which is in the clipboard a moment later */
export async function copy(page: Page, button: string): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: button }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).not.toBe("");
  return copied();
}

/** Toasts stay while nobody can see them, and a test may look for them late. */
function keepToasts(): void {
  Object.defineProperty(document, "hidden", { get: () => true });
}

async function prepare(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(observeReact);
  await context.addInitScript(keepToasts);
  context.on("page", waitForHydration);
  return context;
}

/** Another user's browser. Its pages wait for hydration like `page`. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return prepare(await browser.newContext({ baseURL: process.env.PRODUCT_URL, ...options }));
}

export const test = base.extend({
  context: async ({ context }, use) => use(await prepare(context)),
});
