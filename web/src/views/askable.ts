import type { Lang } from '../text/format';
import { Asking } from './asking';
import { figureStyles } from './figure';

export { figure, sentence } from './figure';

/** Lets the figures of a root that is no view be asked where they come from, once it is told of its host's life. */
export function askable(root: ParentNode & Node, lang: () => Lang): Asking {
  const { adoptedStyleSheets } = root.getRootNode() as Document | ShadowRoot;
  if (figureStyles.styleSheet) adoptedStyleSheets.push(figureStyles.styleSheet);
  return new Asking(() => root, lang);
}
