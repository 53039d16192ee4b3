// Firefox, WebKitGTK and ChromeDriver: the embed's smoke test and the example tests run in them.
import { which } from '../lib/run.mjs';
import { aptInstall, canInstall } from './apt.mjs';

/** Package: a program that it brings. WebKitGTK's browser needs a screen: Xvfb is one without a monitor. */
const programs = {
  'firefox-esr': 'firefox-esr',
  'webkit2gtk-driver': 'WebKitWebDriver',
  'chromium-driver': 'chromedriver',
  xvfb: 'Xvfb',
};

export const otherBrowsers = {
  title: 'Firefox, WebKitGTK, ChromeDriver (about 150 MB to download)',
  /** Where they cannot be installed their tests are skipped, and say so. */
  isDone: () => !canInstall() || Object.values(programs).every((program) => which(program)),
  run: () => aptInstall(Object.keys(programs)),
};
