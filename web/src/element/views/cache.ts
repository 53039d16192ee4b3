import { html } from 'lit';
import '../../views/cache/cache';
import { frameCount } from '../../record/moment';
import type { MakeViewer } from './viewer';

export const makeViewer: MakeViewer = (model) => ({
  render: ({ run, revision, lang }) => html`<kv-cache
    .run=${run}
    .frame=${frameCount(run) - 1}
    .revision=${revision}
    .lang=${lang}
    .model=${model.info}
    .kvType=${run.session.kvType}
    .kvCache=${run.session.kvCache}
  ></kv-cache>`,
  close() {},
});
