import type { ModelInfo } from '../api/types';
import { type Strings, strings } from '../text/strings';
import type { PageState } from './state';

export function modelTitle(
  model: ModelInfo | null,
  kind: PageState['modelKind'],
  t: Strings,
): string {
  if (!model) return t.modelNone;
  if (kind === 'default') return t.modelDefault;
  if (kind === 'real') return t.modelReal;
  return model.name || model.architecture;
}

/** What the model's file says of it, in the page's language where that is known; '' when it says nothing. */
export function modelAbout({ description }: ModelInfo, t: Strings): string {
  return description === strings.en.modelDefaultAbout ? t.modelDefaultAbout : description;
}

/** The last part of an address, to call it by. */
export function fileName(url: string): string {
  const path = url.split(/[?#]/)[0]!;
  return path.slice(path.lastIndexOf('/') + 1) || url;
}
