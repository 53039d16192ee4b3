/**
 * What streams stays at its end, unless the reader has scrolled away from it. Asked of an observer,
 * which is told after layout: to ask the box itself would lay the page out once more for each token.
 */
export class Following {
  private readonly heights = new WeakMap<Element, number>();
  private readonly observed = new WeakSet<Element>();
  private readonly observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const box = target.closest<HTMLElement>('[data-follow]');
      if (box) this.toEnd(box);
    }
  });

  /** Boxes marked `data-follow`, whose last child is what grows. */
  follow(root: HTMLElement): void {
    for (const { lastElementChild: last } of root.querySelectorAll('[data-follow]')) {
      if (!last || this.observed.has(last)) continue;
      this.observed.add(last);
      this.observer.observe(last);
    }
  }

  private toEnd(box: HTMLElement): void {
    const { scrollHeight, scrollTop, clientHeight } = box;
    const before = this.heights.get(box);
    this.heights.set(box, scrollHeight);
    if (before === scrollHeight) return;
    const atEnd = before === undefined || scrollTop + clientHeight >= before - 40;
    if (atEnd) box.scrollTop = scrollHeight;
  }
}
