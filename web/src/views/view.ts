import type { RunRecord } from '../record/record';
import type { Format } from '../text/format';
import type { Strings } from '../text/strings';

/** What every view of a run is given. */
export interface ViewContext {
  t: Strings;
  format: Format;
}

export type Phase = 'idle' | 'prefill' | 'decode';

export type { RunRecord };
