// Numbers for people, in the page's language.
export type Lang = 'ko' | 'en';

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Formatters are made once: making one takes longer than a hundred uses. */
export class Format {
  private readonly integer: Intl.NumberFormat;
  private readonly precise: Intl.NumberFormat;
  /** By their number of decimal places. */
  private readonly fixed: Intl.NumberFormat[];
  private readonly compact = new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumSignificantDigits: 3,
  });

  constructor(lang: Lang) {
    this.integer = new Intl.NumberFormat(lang, { maximumFractionDigits: 0 });
    this.precise = new Intl.NumberFormat(lang, { maximumFractionDigits: 4 });
    this.fixed = [0, 1, 2, 3].map((digits) => {
      const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      return new Intl.NumberFormat(lang, places);
    });
  }

  int(n: number): string {
    return this.integer.format(n);
  }

  /** A whole number as it is, and another one with what it takes: 1.0625 bytes an element. */
  number(n: number): string {
    return this.precise.format(n);
  }

  /** Three significant digits, and never an exponent. */
  short(n: number): string {
    if (n === 0) return '0';
    const rounded = Number(n.toPrecision(3));
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
    return this.fixed[Math.min(digits, 3)]!.format(rounded);
  }

  exactBytes(n: number): string {
    return `${this.int(n)} B`;
  }

  /** 1 KB is 1000 bytes, as for file sizes on the web. */
  bytes(n: number): string {
    let unit = 0;
    let value = n;
    while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return `${unit === 0 ? this.int(value) : this.short(value)} ${BYTE_UNITS[unit]}`;
  }

  ms(ms: number): string {
    return ms < 1000 ? `${this.short(ms)} ms` : `${this.short(ms / 1000)} s`;
  }

  /** A measured time: a page without COOP and COEP has a clock of 1 ms in Firefox and in WebKit. */
  measuredMs(ms: number): string {
    return ms === 0 ? '< 1 ms' : this.ms(ms);
  }

  /** 1.2 M, 3.4 G: counts of multiply-accumulates and of weights. */
  count(n: number): string {
    return this.compact
      .format(n)
      .replace(/(\d)([A-Z])/, '$1 $2')
      .replace('B', 'G');
  }

  percent(p: number): string {
    return `${this.fixed[1]!.format(100 * p)} %`;
  }
}
