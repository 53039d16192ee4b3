/**
 * Enter sends, Shift + Enter breaks the line. While an input method composes, as for every Korean
 * syllable, Enter only ends the composition: browsers tell by isComposing, Safari (where
 * compositionend comes first) by the key code 229.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.altKey) return false;
  return !event.isComposing && event.keyCode !== 229;
}
