import { html } from 'lit';
import '../../views/stage/stage';
import { frameCount } from '../../record/moment';
import { makeViewer as makeAttention } from './attention';
import { makeViewer as makeProjections } from './projections';
import type { MakeViewer } from './viewer';

/** The stage on top; below it the question of the newest step, and where its numbers come from. */
export const makeViewer: MakeViewer = (model, redraw) => {
  const below = [makeAttention(model, redraw), makeProjections(model, redraw)];
  return {
    render(scene) {
      const { run, revision, lang } = scene;
      return html`<kv-stage
        .run=${run}
        .frame=${frameCount(run) - 1}
        .revision=${revision}
        .lang=${lang}
        .layersShown=${Infinity}
        .layer=${Math.max(0, model.info.headLayer)}
        .head=${Math.max(0, model.info.headIndex)}
      ></kv-stage>
      ${below.map((viewer) => viewer.render(scene))}`;
    },
    close: () => below.forEach((viewer) => void viewer.close()),
  };
};
