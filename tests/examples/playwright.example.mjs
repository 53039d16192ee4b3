import { expect, test } from '@playwright/test';

test('the element in the article answers', async ({ page }) => {
  await page.goto('./embed.html?lang=ko&prompt=바다 색깔은');
  const element = page.locator('kv-scope');
  await expect(element).toHaveAttribute('data-state', 'ready');

  await element.getByRole('button', { name: '실행' }).click();
  await expect(element).toHaveAttribute('data-state', 'done');
  await expect(element.locator('.chip.output')).toHaveText(['파랗다', '.', 'END']);
});

test('the engine gives the same tokens for the same seed', async ({ page }) => {
  await page.goto('./embed.html');
  const sample = (seed) =>
    page.evaluate(async (seed) => {
      const { loadModel } = await import('./kvscope.js');
      const model = await loadModel();
      const session = await model.createSession();
      await session.prefill('어느 날');
      let text = '';
      for await (const step of session.generate({ maxTokens: 24, temperature: 1, seed })) {
        text += step.text;
      }
      model.close();
      return text;
    }, seed);

  const first = await sample(7);
  expect(await sample(7)).toBe(first);
  expect(await sample(8)).not.toBe(first);
});
