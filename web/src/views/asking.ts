import type { ReactiveController } from 'lit';
import type { Lang } from '../text/format';
import type { Asked } from './figure';

/** A pointer that only passes by asks nothing; one that goes over to the card does not close it. */
const HOVER_MS = 300;
const LEAVE_MS = 200;
/** Between a figure and its card, and around the card, in CSS pixels. */
const GAP = 6;
const CARD_ID = 'source-card';

const OF_FIGURES = ['pointerover', 'pointerout', 'focusin', 'focusout', 'click', 'keydown'];
const OF_WINDOW = ['pointerdown', 'keydown', 'scroll', 'resize'];

const ARROWS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** One card at a time on the whole page. */
let open: Asking | null = null;

/**
 * Lets the figures of a view, or of the page around the views, be asked where they come from: a card
 * beside the figure opens on hover, tap and keyboard focus; Escape closes it. The figures of one root
 * are one stop of the Tab key, and arrow keys go from each to the next.
 */
export class Asking implements ReactiveController {
  private figure: Asked | null = null;
  /** Which of the figures it is. */
  private place = -1;
  private box: HTMLElement | null = null;
  /** Opened by a press: a pointer that leaves does not close it. */
  private isHeld = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * root: where the figures are, and the card with them, so that they can be tied by an id. It is
   * listened to itself, since focus that moves within a shadow tree is not told outside it.
   */
  constructor(
    private readonly root: () => ParentNode & Node,
    private readonly lang: () => Lang,
  ) {}

  hostConnected(): void {
    for (const type of OF_FIGURES) this.root().addEventListener(type, this);
  }

  hostDisconnected(): void {
    this.close();
    for (const type of OF_FIGURES) this.root().removeEventListener(type, this);
  }

  /** What was drawn anew may tell something else, or be gone. */
  hostUpdated(): void {
    const root = this.root();
    if (!root.querySelector('.figure[tabindex="0"]')) {
      const first = root.querySelector<HTMLElement>('.figure');
      if (first) first.tabIndex = 0;
    }
    const { figure, place } = this;
    if (!figure) return;
    if (figure.isConnected && figure.ask) {
      void this.show(figure);
      return;
    }
    // A sentence that was written anew has another figure in the same place.
    const heir = this.isHeld ? this.all[place] : undefined;
    this.close();
    if (!heir) return;
    if (document.activeElement === document.body) heir.focus();
    this.hold(heir);
  }

  private get all(): Asked[] {
    return [...this.root().querySelectorAll<Asked>('.figure')];
  }

  handleEvent(event: Event): void {
    const path = event.composedPath();
    const inCard = this.box !== null && path.includes(this.box);
    const figure = inCard ? null : this.figureIn(path);
    if (event.currentTarget === window) this.onWindow(event, inCard || figure !== null);
    else if (event.type === 'pointerover') this.onPointer(event as PointerEvent, figure, inCard);
    else if (event.type === 'pointerout') this.leave();
    else if (event.type === 'focusin') this.onFocus(figure);
    else if (event.type === 'focusout') this.onBlur(event as FocusEvent);
    else if (event.type === 'keydown') this.onArrow(event as KeyboardEvent, figure);
    else if (figure) this.press(figure);
  }

  /** A press on a figure: opens its card, keeps one that the pointer had opened, closes one that was kept. */
  press(figure: Asked): void {
    if (this.figure === figure && this.isHeld) {
      this.close();
      return;
    }
    this.hold(figure);
  }

  close(): void {
    clearTimeout(this.timer);
    this.figure?.removeAttribute('aria-describedby');
    this.figure = null;
    this.isHeld = false;
    this.box?.remove();
    if (open === this) open = null;
    for (const type of OF_WINDOW) removeEventListener(type, this, { capture: true });
  }

  private figureIn(path: EventTarget[]): Asked | null {
    const found = path.find((node) => (node as Asked).ask) as Asked | undefined;
    return found && this.root().contains(found) ? found : null;
  }

  private onPointer({ pointerType }: PointerEvent, figure: Asked | null, inCard: boolean): void {
    if (pointerType !== 'mouse') return;
    if (figure && figure === this.figure) clearTimeout(this.timer);
    else if (figure) this.wait(HOVER_MS, () => this.hover(figure));
    else if (inCard) clearTimeout(this.timer);
    else this.leave();
  }

  /** A card that was opened by a press or by keyboard stays, whatever the page scrolls under the pointer. */
  private hover(figure: Asked): void {
    if (!open?.isHeld) void this.show(figure);
  }

  private leave(): void {
    if (!this.isHeld) this.wait(LEAVE_MS, () => this.close());
  }

  private wait(ms: number, then: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }

  private onFocus(figure: Asked | null): void {
    if (figure?.matches(':focus-visible')) this.hold(figure);
  }

  private hold(figure: Asked): void {
    this.isHeld = true;
    void this.show(figure);
  }

  /** With nothing else focused, the reader may be marking text in the card. */
  private onBlur({ relatedTarget }: FocusEvent): void {
    if (relatedTarget) this.close();
  }

  private onArrow(event: KeyboardEvent, figure: Asked | null): void {
    const by = ARROWS[event.key];
    if (!by || !figure?.classList.contains('figure')) return;
    const { all } = this;
    const next = all[all.indexOf(figure) + by];
    event.preventDefault();
    if (!next) return;
    for (const other of this.root().querySelectorAll<HTMLElement>('.figure[tabindex="0"]')) {
      other.tabIndex = -1;
    }
    next.tabIndex = 0;
    next.focus({ focusVisible: true });
    this.hold(next);
  }

  private onWindow(event: Event, isOurs: boolean): void {
    if (event.type === 'keydown') {
      if ((event as KeyboardEvent).key !== 'Escape') return;
      event.stopPropagation();
      event.preventDefault();
      this.close();
    } else if (event.type !== 'pointerdown') this.align();
    else if (!isOurs) this.close();
  }

  private async show(figure: Asked): Promise<void> {
    clearTimeout(this.timer);
    if (this.figure !== figure) this.figure?.removeAttribute('aria-describedby');
    this.figure = figure;
    this.place = this.all.indexOf(figure);
    if (open !== this) open?.close();
    open = this;
    const card = await import('./source-card').catch(() => null);
    if (!card || this.figure !== figure || !figure.ask) return;
    this.box ??= card.makeCard(CARD_ID);
    if (!this.box.isConnected) {
      card.adoptStyles(figure.getRootNode());
      this.root().append(this.box);
      this.box.showPopover?.();
      for (const type of OF_WINDOW) addEventListener(type, this, { capture: true });
    }
    card.drawCard(this.box, figure, this.lang());
    figure.setAttribute('aria-describedby', CARD_ID);
    this.align();
  }

  /** Under its figure, or over it where there is no room, or on it; never beyond the window. */
  private align(): void {
    const { box, figure } = this;
    if (!box || !figure) return;
    const at = figure.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    if (at.bottom < 0 || at.top > clientHeight) {
      this.close();
      return;
    }
    const { offsetWidth, offsetHeight } = box;
    const left = Math.max(GAP, Math.min(at.left, clientWidth - offsetWidth - GAP));
    const lowest = clientHeight - offsetHeight - GAP;
    const above = at.top - GAP - offsetHeight;
    const isUnder = at.bottom <= lowest || above < 0;
    const top = isUnder ? Math.max(GAP, Math.min(at.bottom + GAP, lowest)) : above;
    box.style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
  }
}
