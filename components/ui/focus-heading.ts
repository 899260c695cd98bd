/** For when a pressed button leaves the page, and would take the focus with it. */
export function focusHeading(heading: HTMLElement | null | undefined): void {
  if (!heading) return;
  heading.tabIndex = -1;
  // Those who use a mouse stay at the row that they have just removed.
  heading.focus({ preventScroll: true });
}

/** The heading of the section that `element` is in, or else of the page. */
export const headingAbove = (element: Element): HTMLElement | null =>
  element.closest("section:has(h2, h3)")?.querySelector<HTMLElement>("h2, h3") ??
  document.querySelector<HTMLElement>("main h1");
