import { html, type TemplateResult } from 'lit';
import '../../views/race/race';
import type { Context } from './context';

export function racePanel({ state, v, racing }: Context): TemplateResult {
  const onRace = ({ detail }: CustomEvent<{ tokens: number }>) => void racing.start(detail.tokens);
  return html`
    <section class="race-section" aria-labelledby="race-title">
      <h2 id="race-title">${v.raceTitle}</h2>
      <kv-race
        .run=${state.run}
        .revision=${state.revision}
        .lang=${state.lang}
        .race=${state.race}
        .running=${state.racing}
        .ready=${state.model !== null && state.phase === 'idle' && state.prompt.trim() !== ''}
        @kv-race=${onRace}
        @kv-race-stop=${() => racing.stop()}
      ></kv-race>
    </section>
  `;
}
