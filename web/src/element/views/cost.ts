import { html } from 'lit';
import '../../views/cost/cost';
import { frameCount } from '../../record/moment';
import type { MakeViewer } from './viewer';

export const makeViewer: MakeViewer = () => ({
  render: ({ run, revision, lang }) => html`<kv-cost
    .run=${run}
    .frame=${frameCount(run) - 1}
    .revision=${revision}
    .lang=${lang}
  ></kv-cost>`,
  close() {},
});
