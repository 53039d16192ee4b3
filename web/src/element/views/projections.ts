import { html } from 'lit';
import '../../views/projections/projections';
import { Inside } from './inside';
import type { MakeViewer } from './viewer';

export const makeViewer: MakeViewer = (model, redraw) => {
  const inside = new Inside(model, redraw);
  return {
    render(scene) {
      const { run, revision, lang } = scene;
      const { moment, look } = inside.follow(scene, true);
      const { layer, head, position } = inside;
      return html`<kv-projections
        .run=${run}
        .frame=${moment.frame}
        .revision=${revision}
        .lang=${lang}
        .position=${position ?? moment.asker}
        .layer=${layer}
        .head=${head}
        .look=${look}
        .matrices=${(look && inside.lens.matrices(run, look)) || null}
        @kv-spot=${({ detail }: CustomEvent) => inside.choose(detail)}
      ></kv-projections>`;
    },
    close: () => inside.close(),
  };
};
