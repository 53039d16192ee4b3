// Numbers for people, in the page's language.
export type Lang = 'ko' | 'en';

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB'];

export class Format {
  private readonly integer: Intl.NumberFormat;

  constructor(private readonly lang: Lang) {
    this.integer = new Intl.NumberFormat(lang, { maximumFractionDigits: 0 });
  }

  int(n: number): string {
    return this.integer.format(n);
  }

  /** A whole number as it is, and another one with what it takes: 1.0625 bytes an element. */
  number(n: number): string {
    return n.toLocaleString(this.lang, { maximumFractionDigits: 4 });
  }

  /** Three significant digits, and never an exponent. */
  short(n: number): string {
    if (n === 0) return '0';
    const rounded = Number(n.toPrecision(3));
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
    return rounded.toLocaleString(this.lang, {
      minimumFractionDigits: Math.min(digits, 3),
      maximumFractionDigits: Math.min(digits, 3),
    });
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

  /** 1.2 M, 3.4 G: counts of multiply-accumulates and of weights. */
  count(n: number): string {
    return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
      .format(n)
      .replace(/(\d)([A-Z])/, '$1 $2')
      .replace('B', 'G');
  }

  percent(p: number): string {
    return `${(100 * p).toLocaleString(this.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} %`;
  }
}
