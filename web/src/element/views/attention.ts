import { html } from 'lit';
import '../../views/question/question';
import { Inside } from './inside';
import type { MakeViewer } from './viewer';

export const makeViewer: MakeViewer = (model, redraw) => {
  const inside = new Inside(model, redraw);
  return {
    render(scene) {
      const { run, revision, lang } = scene;
      const { moment, look } = inside.follow(scene, false);
      const { layer, head, proposed } = inside;
      return html`<kv-question
        .run=${run}
        .frame=${moment.frame}
        .revision=${revision}
        .lang=${lang}
        .layer=${layer}
        .head=${head}
        .look=${look}
        .proposed=${proposed}
        @kv-head=${({ detail }: CustomEvent) => inside.choose(detail)}
        @kv-propose=${() => void inside.propose(run)}
      ></kv-question>`;
    },
    close: () => inside.close(),
  };
};
