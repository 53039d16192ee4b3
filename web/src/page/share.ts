// A link to what is on show: prompt, seed, settings, moment, head and part of the page.
import type { KvType } from '../api/types';
import type { Lang } from '../text/format';
import { newestFrame, type PageState } from './state';

const SECTIONS = ['stage', 'projections', 'race', 'cache', 'cost', 'calculator', 'facts'] as const;

const KV_TYPES: KvType[] = ['f16', 'f32', 'q8_0'];

export function shareUrl(state: PageState): string {
  const { run, lang, prompt, settings, frame, layer, head, modelKind } = state;
  const now = new URLSearchParams(location.search);
  const query = new URLSearchParams({
    lang,
    prompt: run?.prompt.chat === false ? run.prompt.text : prompt,
  });
  const { seed, temperature, maxTokens, minP, ignoreEos } = run?.settings ?? settings;
  const { kvType, kvCache } = run?.session ?? settings;
  query.set('seed', String(seed));
  query.set('temperature', String(temperature));
  query.set('max', String(maxTokens));
  query.set('min-p', String(minP));
  query.set('kv', kvType);
  if (ignoreEos) query.set('ignore-eos', '1');
  if (!kvCache) query.set('cache', '0');
  if (modelKind === 'other' && now.has('src')) query.set('src', now.get('src')!);
  if (run) {
    query.set('frame', String(frame ?? newestFrame(run)));
    query.set('layer', String(layer));
    query.set('head', String(head));
  }
  query.set('view', sectionInView());
  return `${location.origin}${location.pathname}?${query}`;
}

export interface Shared {
  lang: string | null;
  prompt: string | null;
  src: string | null;
  settings: Partial<PageState['settings']>;
  /** There is a run to make: the moment of it to show. */
  frame: number | null;
  layer: number | null;
  head: number | null;
  view: string | null;
}

/** Reads a link, also one that somebody wrote by hand: what makes no sense is left out. */
export function readShared(search: string): Shared {
  const query = new URLSearchParams(search);
  const number = (name: string, max: number, whole = true) => {
    const text = query.get(name);
    const value = Number(text);
    const ok = text !== null && text.trim() !== '' && value >= 0 && value <= max;
    return ok && (!whole || Number.isInteger(value)) ? value : null;
  };
  const settings: Shared['settings'] = {};
  const [seed, temperature, maxTokens, minP] = [
    number('seed', 2 ** 32 - 1),
    number('temperature', 2, false),
    number('max', 100_000),
    number('min-p', 1, false),
  ];
  const kvType = KV_TYPES.find((type) => type === query.get('kv'));
  if (seed !== null) settings.seed = seed;
  if (temperature !== null) settings.temperature = temperature;
  if (maxTokens) settings.maxTokens = maxTokens;
  if (minP !== null) settings.minP = minP;
  if (kvType) settings.kvType = kvType;
  if (query.get('ignore-eos') === '1') settings.ignoreEos = true;
  if (query.get('cache') === '0') settings.kvCache = false;
  const view = query.get('view');
  return {
    ...{ lang: query.get('lang'), prompt: query.get('prompt'), src: query.get('src'), settings },
    ...{ frame: number('frame', 1e6), layer: number('layer', 1e4), head: number('head', 1e4) },
    view: SECTIONS.some((name) => name === view) ? view : null,
  };
}

export function showSection(name: string): void {
  document.querySelector(`.${name}-section`)?.scrollIntoView({ block: 'start' });
}

/** The part of the page whose head is nearest to the top of the window. */
function sectionInView(): string {
  let [best, distance] = ['stage', Infinity];
  for (const name of SECTIONS) {
    const box = document.querySelector(`.${name}-section`)?.getBoundingClientRect();
    if (!box || Math.abs(box.top) >= distance) continue;
    [best, distance] = [name, Math.abs(box.top)];
  }
  return best;
}

export function firstLang(wanted: string | null): Lang {
  for (const tag of [wanted, ...navigator.languages]) {
    if (tag?.startsWith('ko')) return 'ko';
    if (tag?.startsWith('en')) return 'en';
  }
  return 'en';
}
