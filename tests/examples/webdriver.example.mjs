import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, Builder, By, until } from 'selenium-webdriver';
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';

const site = process.env.KVSCOPE_URL ?? 'http://127.0.0.1:8080/';
let driver;

before(async () => {
  const options = new Options().addArguments('--headless=new', '--no-sandbox');
  options.setBinaryPath(process.env.CHROMIUM ?? '/usr/bin/chromium');
  const service = new ServiceBuilder(process.env.CHROMEDRIVER ?? '/usr/bin/chromedriver');
  driver = await new Builder()
    .forBrowser(Browser.CHROME)
    .setChromeOptions(options)
    .setChromeService(service)
    .build();
});
after(() => driver.quit());

test('the element in the article answers', async () => {
  await driver.get(`${site}embed.html?lang=ko&prompt=바다 색깔은`);
  const state = (name) => until.elementLocated(By.css(`kv-scope[data-state=${name}]`));
  const element = await driver.wait(state('ready'), 20_000);

  const shadow = await element.getShadowRoot();
  const button = await shadow.findElement(By.css('[part=button]'));
  await button.click();
  await driver.wait(state('done'), 20_000);
  const chips = await shadow.findElements(By.css('.chip.output'));
  const tokens = await Promise.all(chips.map((chip) => chip.getText()));
  assert.deepEqual(tokens, ['파랗다', '.', 'END']);
});
