import type { ModelInfo } from '../api/types';
import type { Strings } from '../text/strings';
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
