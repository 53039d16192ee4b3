import type { Lang } from '../text/format';
import { Asking } from '../views/asking';
import { figureStyles } from '../views/figure';

/** Lets the page's own figures, those outside the views, be asked where they come from as well. */
export function askable(main: HTMLElement, lang: () => Lang): Asking {
  const sheet = figureStyles.styleSheet;
  if (sheet) document.adoptedStyleSheets.push(sheet);
  const asking = new Asking(() => main, lang);
  asking.hostConnected();
  return asking;
}
