// kvscope installed as a package and bundled: what its worker needs is found under whatever name it got.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createStaticServer } from '../../build-scripts/serve.mjs';
import { bundlers, writeProject } from './support/bundlers';
import { expect, test } from './support/site';

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name}: element, engine with threads and chat template work from a sub-path`, async ({
    page,
    site,
  }) => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'kvscope-bundle-'));
    const [project, out] = [path.join(root, 'project'), path.join(root, 'out')];
    fs.mkdirSync(out);
    writeProject(project);
    await bundle(project, out);
    const server = await createStaticServer(out, {
      ...{ base: '/blog/app/', mounts: site.options.mounts },
    });
    try {
      await page.goto(server.url);
      const element = page.locator('kv-scope');
      await expect(element).toHaveAttribute('data-state', 'done');
      await expect(element.locator('kv-cache .uplot').first()).toBeVisible();
      const answer = page.locator('#answer');
      await expect(answer).not.toBeEmpty();
      expect(JSON.parse((await answer.textContent())!)).toEqual({
        ...{ build: 'relaxed-threads', threads: 2 },
        prompt: '<|im_start|>user\nthe sea<|im_end|>\n<|im_start|>assistant\n',
      });
      expect(server.log.filter(({ status }) => status >= 400)).toEqual([]);
    } finally {
      await server.close();
      fs.rmSync(root, { recursive: true });
    }
  });
}
