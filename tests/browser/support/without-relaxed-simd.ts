import type { Page } from '@playwright/test';

/**
 * A browser without relaxed SIMD, as far as feature detection can tell: it asks WebAssembly.validate,
 * which here refuses modules with relaxed opcodes (0xfd, then 0x100 and on as LEB128: 0x80 0x02 …).
 */
export async function withoutRelaxedSimd(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const validate = WebAssembly.validate;
    WebAssembly.validate = (bytes) => {
      const code = new Uint8Array(bytes as ArrayBuffer);
      const relaxed = code.some(
        (byte, i) => byte === 0xfd && code[i + 1]! >= 0x80 && code[i + 2] === 2,
      );
      return !relaxed && validate.call(WebAssembly, bytes);
    };
  });
}
