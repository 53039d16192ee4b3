// Reads what figures say of themselves, and works it out once more.
import type { Page } from '@playwright/test';

/** What one figure showed and said, and what the record has there. */
export interface Answer {
  /** The figure's own text. */
  drawn: string;
  how: string;
  /** As it is written, without the names of its numbers: "2 × 5 × …". */
  formula: string;
  result: string;
  field: string;
  value: number;
  /** The field looked up in the run that the view draws. */
  recorded: number | null;
}

/**
 * Presses the figures of a view, or of the page around the views, or `what` else answers there, one
 * after the other, and reads their cards. Of a long table of vectors one in 61 is asked.
 */
export async function askAll(page: Page, where: string, what = '.figure'): Promise<Answer[]> {
  await page.locator(where).scrollIntoViewIfNeeded();
  return page.locator(where).evaluate(async (element, what) => {
    const root = element.shadowRoot ?? element;
    const { run } = document.querySelector('kv-stage') as unknown as { run: object };
    const { race } = document.querySelector('kv-race') as unknown as { race: object };

    /** "Σ a[1…3].b + c.d": places in the record, added up. */
    const lookUp = (field: string): number => {
      const at = (path: string) =>
        path
          .split(/[.[\]]+/)
          .filter(Boolean)
          .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], {
            ...run,
            race,
          }) as number;
      return field.split(' + ').reduce((sum, path) => {
        const range = /^Σ (.*)\[(\d+)…(\d+)\](.*)$/.exec(path);
        if (!range) return sum + at(path);
        const [, before, from, to, after] = range;
        for (let i = Number(from); i <= Number(to); i++) sum += at(`${before}[${i}]${after}`);
        return sum;
      }, 0);
    };

    const read = (section: HTMLElement, drawn: string): Answer => {
      const text = (name: string) => section.querySelector(`.source-${name}`)?.textContent ?? '';
      const parts = [...section.querySelectorAll('.source-formula > :not(.source-result)')];
      for (const { textContent } of section.querySelectorAll('code')) lookUp(textContent!);
      const field = text('field').trim();
      return {
        ...{ drawn, how: text('how'), result: text('result'), field },
        formula: parts
          .map((part) => (part.querySelector('.source-n') ?? part).textContent)
          .join(' '),
        value: Number(section.dataset.value),
        recorded: field ? lookUp(field) : null,
      };
    };

    const answers: Answer[] = [];
    const figures = [...root.querySelectorAll<HTMLElement>(what)].filter(
      (figure, i) => !figure.closest('.products, .twin') || i % 61 === 0,
    );
    for (const figure of figures) {
      figure.scrollIntoView({ block: 'center' });
      figure.click();
      const card = () => root.querySelector('.source-card');
      for (let i = 0; !card() || !figure.hasAttribute('aria-describedby'); i++) {
        if (i > 1000) throw new Error(`${figure.textContent} says nothing`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      for (const section of card()!.querySelectorAll('section')) {
        answers.push(read(section, figure.textContent!));
      }
      figure.click();
      if (card()) throw new Error('a second press closes it');
    }
    return answers;
  }, what);
}

/** "2 × (3 + 4) ÷ √16" as arithmetic. */
export function evaluate(formula: string): number {
  const script = formula
    .replaceAll(',', '')
    .replaceAll('−', '-')
    .replace(/√([\d.]+)/g, 'Math.sqrt($1)')
    .replace(/e\^(-?[\d.]+)/g, 'Math.exp($1)')
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll('- -', '+ ');
  return Number(new Function(`return ${script}`)());
}

const SCALES: Record<string, number> = {
  ...{ K: 1e3, M: 1e6, G: 1e9, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, s: 1e3, '%': 0.01 },
};

/** The number in a figure's text, and how far rounding for reading may have moved it. */
export function numberIn(text: string): { value: number; within: number } {
  const [, number, unit] = /(−?-?[\d.,]+) ?(\S*)/.exec(text)!;
  const scale = SCALES[unit!] ?? 1;
  const decimals = (number!.split('.')[1] ?? '').length;
  const value = Number(number!.replaceAll(',', '').replace('−', '-')) * scale;
  // Three significant digits may end left of the point: 1,820 stands for 1,815 to 1,825.
  const isShort = /^[KMGT]/.test(unit!) || /[1-9],?\d\d0$/.test(number!);
  return { value, within: Math.max(0.5001 * 10 ** -decimals * scale, isShort ? 5e-3 * value : 0) };
}
