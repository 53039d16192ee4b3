import { html, type TemplateResult } from 'lit';
import '../../views/projections/projections';
import type { Spot } from '../../record/lens';
import { momentAt } from '../../record/moment';
import { openedPosition } from '../looking';
import { newestFrame } from '../state';
import type { Context } from './context';
import { isUnseen } from './stage-panel';

export function projectionsPanel(context: Context): TemplateResult {
  const { state, v, store, controller } = context;
  const { run, layer, head, opened } = state;
  const frame = state.frame ?? (run ? newestFrame(run) : 0);
  const moment = run ? momentAt(run, frame) : null;
  const position = moment ? openedPosition(state.selected, moment.asker, moment.cached) : 0;
  const isHere = opened?.position === position && opened.layer === layer && opened.head === head;
  const onSpot = ({ detail }: CustomEvent<Spot>) =>
    store.update({ selected: detail.position, layer: detail.layer, head: detail.head });
  return html`
    <section class="projections-section" aria-labelledby="projections-title">
      <h2 id="projections-title">${v.projectionsTitle}</h2>
      <kv-projections
        .run=${run}
        .frame=${frame}
        .revision=${state.revision}
        .lang=${state.lang}
        .model=${state.model}
        .position=${position}
        .layer=${layer}
        .head=${head}
        .look=${isHere ? opened : null}
        .matrices=${(run && isHere && controller.lens.matrices(run, opened)) || null}
        .unseen=${isUnseen(context, moment ? position : -1)}
        @kv-spot=${onSpot}
      ></kv-projections>
    </section>
  `;
}
