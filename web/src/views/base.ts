import { type CSSResultGroup, LitElement } from 'lit';
import type { RunRecord } from '../record/record';
import { Format, type Lang } from '../text/format';
import { type ViewStrings, viewStrings } from '../text/views/strings';
import { Asking } from './asking';
import { viewStyles } from './styles';

export const formats = { ko: new Format('ko'), en: new Format('en') };

/** While a run streams, a view that is not to be seen is drawn so often and not with every token. */
const UNSEEN_REDRAW_MS = 1000;
/** Frames do not come to a hidden tab, or to an inner frame that is scrolled away. */
const FRAME_AT_LATEST_MS = 100;

let turns = Promise.resolve();

/**
 * Views that are not to be seen take turns, one a frame: all at once they would make it late. With a
 * frame, since what is drawn between two has the page laid out twice.
 */
function nextTurn(): Promise<void> {
  turns = turns.then(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => resolve());
        setTimeout(resolve, FRAME_AT_LATEST_MS);
      }),
  );
  return turns;
}

/**
 * A view of a run: draws the record at one moment, keeps nothing of its own but how it is drawn.
 * The record grows in place, so whoever owns it raises `revision` to have it drawn again.
 */
export abstract class ViewElement extends LitElement {
  static override styles: CSSResultGroup = viewStyles;
  static override properties = {
    run: { attribute: false },
    frame: { type: Number },
    revision: { type: Number },
    lang: { type: String },
  };

  declare run: RunRecord | null;
  /** Which moment of the run; see record/moment.ts. */
  declare frame: number;
  declare revision: number;
  declare lang: Lang;

  constructor() {
    super();
    this.run = null;
    this.frame = 0;
    this.revision = 0;
    this.lang = 'en';
    this.addController(this.asking);
  }

  /** Every figure of a view can be asked where it comes from. */
  protected readonly asking = new Asking(
    () => this.renderRoot,
    () => this.lang,
  );
  private isSeen = true;
  private drawnAt = -UNSEEN_REDRAW_MS;
  private endWait: (() => void) | undefined;
  private readonly seen = new IntersectionObserver((entries) => {
    this.isSeen = entries.at(-1)!.isIntersecting;
    if (this.isSeen) this.endWait?.();
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.seen.disconnect();
    this.isSeen = true;
  }

  protected override async scheduleUpdate(): Promise<void> {
    const soon = this.drawnAt + UNSEEN_REDRAW_MS > performance.now();
    if (!this.isSeen && soon) {
      await new Promise<void>((resolve) => {
        this.endWait = resolve;
        setTimeout(() => void nextTurn().then(resolve), UNSEEN_REDRAW_MS);
      });
    }
    this.drawnAt = performance.now();
    await super.scheduleUpdate();
  }

  get words(): ViewStrings {
    return viewStrings[this.lang];
  }

  protected get t(): ViewStrings {
    return this.words;
  }

  protected get format(): Format {
    return formats[this.lang];
  }

  protected emit<T>(type: string, detail: T): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

export function defineView(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
