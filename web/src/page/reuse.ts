import type { Controller } from './controller';
import type { PageState, Store } from './state';

/** Tells, while a prompt is edited, how much of it the cache of the last run still holds. */
export class Reuse {
  private asked = '';
  private timer = 0;

  constructor(
    private readonly store: Store,
    private readonly controller: Controller,
  ) {}

  follow({ run, prompt, phase, chat }: PageState): void {
    const isEdited = phase === 'idle' && run !== null && !chat && prompt !== run.prompt.text;
    const key = isEdited && prompt.trim() !== '' ? prompt : '';
    if (key === this.asked) return;
    this.asked = key;
    clearTimeout(this.timer);
    if (key === '') {
      if (this.store.state.reusable) this.store.update({ reusable: null });
    } else this.timer = window.setTimeout(() => void this.compare(key), 150);
  }

  private async compare(prompt: string): Promise<void> {
    const reusable = await this.controller.cachedBeginning(prompt).catch(() => null);
    if (prompt === this.asked) this.store.update({ reusable });
  }
}
