import { type CSSResultGroup, LitElement } from 'lit';
import type { RunRecord } from '../record/record';
import { Format, type Lang } from '../text/format';
import { type ViewStrings, viewStrings } from '../text/views/strings';
import { viewStyles } from './styles';

export const formats = { ko: new Format('ko'), en: new Format('en') };

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
  }

  protected get t(): ViewStrings {
    return viewStrings[this.lang];
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
