import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  type Page,
} from "@playwright/test";

export { expect } from "@playwright/test";

// A page that the server rendered shows its buttons before anything listens to them, and a dialog
// shows before it listens to keys. Tests therefore never act on what is visible only: every visit
// waits until React has hydrated the whole page, and every key waits until React has run the
// effects of what it rendered last.

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

function waitForHydration(page: Page): void {
  const { goto, reload, goBack } = page;
  const { press } = page.keyboard;
  page.goto = async (...parameters) => {
    const response = await goto.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.reload = async (...parameters) => {
    const response = await reload.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.goBack = async (...parameters) => {
    const response = await goBack.apply(page, parameters);
    await settled(page);
    return response;
  };
  page.keyboard.press = async (...parameters) => {
    await settled(page);
    await press.apply(page.keyboard, parameters);
  };
}

async function prepare(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(observeReact);
  context.on("page", waitForHydration);
  return context;
}

/** A browser of another person, whose pages wait for hydration as `page` does. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return prepare(await browser.newContext({ baseURL: process.env.PRODUCT_URL, ...options }));
}

export const test = base.extend({
  context: async ({ context }, use) => use(await prepare(context)),
});
