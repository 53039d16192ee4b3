// How a token's bytes are written on its chip.

export interface TokenText {
  text: string;
  /** text: as it is; blank: only white space; bytes: part of a character; special: a control token */
  kind: 'text' | 'blank' | 'bytes' | 'special';
  /** The token begins with a space: a new word begins here. */
  wordStart: boolean;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const VISIBLE_BLANKS: Record<string, string> = { ' ': '␣', '\n': '⏎', '\r': '␍', '\t': '⇥' };

export function tokenText(token: { bytes: number[]; special: boolean }): TokenText {
  let text: string;
  try {
    text = strict.decode(Uint8Array.from(token.bytes));
  } catch {
    return { text: hex(token.bytes), kind: 'bytes', wordStart: false };
  }
  if (token.special) return { text, kind: 'special', wordStart: true };
  const wordStart = /^\s/.test(text);
  if (text.trim() !== '') return { text: showBreaks(text.trim()), kind: 'text', wordStart };
  return { text: showBlanks(text) || '∅', kind: 'blank', wordStart };
}

function showBlanks(text: string): string {
  return Array.from(text, (c) => VISIBLE_BLANKS[c] ?? c).join('');
}

function showBreaks(text: string): string {
  return text.replace(/[\n\r\t]/g, (c) => VISIBLE_BLANKS[c]!);
}

function hex(bytes: number[]): string {
  return bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
}
