/** Colours for a canvas, resolved as CSS resolves them: scheme, page and forced colours included. */
export interface Palette {
  ink: string;
  muted: string;
  line: string;
  strong: string;
  tint: string;
  prefill: string;
  k: string;
  v: string;
  q: string;
  paper: string;
  font: string;
}

const NAMES = ['ink', 'muted', 'line', 'strong', 'tint', 'prefill', 'k', 'v', 'q'] as const;

/** Where the reader's system forces its colours: shapes alone tell K, V and Q apart. */
const FORCED: Record<(typeof NAMES)[number] | 'paper', string> = {
  ...{ ink: 'CanvasText', muted: 'CanvasText', line: 'GrayText', strong: 'GrayText' },
  ...{ tint: 'Canvas', prefill: 'Canvas', paper: 'Canvas' },
  ...{ k: 'CanvasText', v: 'CanvasText', q: 'CanvasText' },
};

/** host: an element of the view's shadow tree, where the variables of views/styles.ts hold. */
export function readPalette(host: HTMLElement): Palette {
  const probe = document.createElement('i');
  probe.style.display = 'none';
  probe.style.setProperty('forced-color-adjust', 'none');
  host.append(probe);
  const forced = matchMedia('(forced-colors: active)').matches;
  const resolved = (name: keyof typeof FORCED, value: string) => {
    probe.style.color = forced ? FORCED[name] : value;
    return getComputedStyle(probe).color;
  };
  const palette = Object.fromEntries(
    NAMES.map((name) => [name, resolved(name, `var(--_${name})`)]),
  );
  palette.paper = resolved('paper', 'var(--paper, Canvas)');
  palette.font = getComputedStyle(host).fontFamily;
  probe.remove();
  return palette as unknown as Palette;
}

/** Calls back when the colours may have become others. */
export function onSchemeChange(callback: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((q) =>
    matchMedia(q),
  );
  for (const query of queries) query.addEventListener('change', callback);
  return () => {
    for (const query of queries) query.removeEventListener('change', callback);
  };
}
