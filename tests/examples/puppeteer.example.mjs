import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import puppeteer from 'puppeteer-core';

const site = process.env.KVSCOPE_URL ?? 'http://127.0.0.1:8080/';
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
let browser;

before(async () => {
  browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox'] });
});
after(() => browser.close());

test('the element in the article answers, and its events tell how', async () => {
  const page = await browser.newPage();
  await page.goto(`${site}embed.html?lang=ko&prompt=바다 색깔은`);
  const element = await page.waitForSelector('kv-scope[data-state=ready]');

  const run = await element.evaluate(
    (scope) =>
      new Promise((resolve, reject) => {
        scope.addEventListener('kv-done', ({ detail }) => resolve(detail));
        scope.addEventListener('kv-error', ({ detail }) => reject(detail));
        scope.run();
      }),
  );
  assert.equal(run.steps.map(({ text }) => text).join(''), ' 파랗다.');
  assert.equal(run.finish, 'stop');
  // K and V of every token that went through the network: all but the last one, the end token.
  assert.equal(run.steps.at(-1).kv.tokens, run.prefill.tokens + run.steps.length - 1);
});
