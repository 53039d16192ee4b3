import { html } from 'lit';
import '../../views/question/question';
import { opensByItself } from '../../views/heads/heads';
import { Inside } from './inside';
import type { MakeViewer } from './viewer';

export const makeViewer: MakeViewer = (model, redraw) => {
  const inside = new Inside(model, redraw);
  let mapOpen = opensByItself(model.info);
  return {
    render(scene) {
      const { run, revision, lang } = scene;
      const { moment, look } = inside.follow(scene, false);
      inside.followMap(run, mapOpen && !scene.busy ? moment.asker : -1);
      const { layer, head, proposed, map } = inside;
      return html`<kv-question
        .run=${run}
        .frame=${moment.frame}
        .revision=${revision}
        .lang=${lang}
        .layer=${layer}
        .head=${head}
        .look=${look}
        .proposed=${proposed}
        .map=${map}
        .mapOpen=${mapOpen}
        @kv-head=${({ detail }: CustomEvent) => inside.choose(detail)}
        @kv-map=${({ detail }: CustomEvent<{ open: boolean }>) => {
          mapOpen = detail.open;
          redraw();
        }}
        @kv-propose=${() => void inside.propose(run)}
      ></kv-question>`;
    },
    close: () => inside.close(),
  };
};
