// Browsers that Playwright itself does not drive as they are installed: Debian's Firefox and WebKitGTK.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import puppeteer from 'puppeteer-core';
import { Builder, Capabilities } from 'selenium-webdriver';

export interface OtherPage {
  goto(url: string): Promise<void>;
  /** What the JavaScript function body returns or resolves to. */
  evaluate<T>(body: string): Promise<T>;
  close(): Promise<void>;
}

export interface OtherBrowser {
  name: string;
  /** Undefined: it can be started; else what is not installed. */
  missing(): string | undefined;
  open(): Promise<OtherPage>;
}

const FIREFOX = process.env.KVSCOPE_FIREFOX ?? '/usr/bin/firefox-esr';
const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';

const firstMissing = (...files: string[]) => files.find((file) => !fs.existsSync(file));

export const firefox: OtherBrowser = {
  name: 'Firefox',
  missing: () => firstMissing(FIREFOX),
  async open() {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX });
    const page = await browser.newPage();
    return {
      goto: async (url) => void (await page.goto(url)),
      evaluate: <T>(body: string) => page.evaluate(`(async () => { ${body} })()`) as Promise<T>,
      close: () => browser.close(),
    };
  },
};

/** WebKitGTK's MiniBrowser; the driver starts it, and stops it when it is stopped itself. */
export const webkit: OtherBrowser = {
  name: 'WebKit',
  missing: () => firstMissing(WEBKIT_DRIVER, SCREEN, ...(miniBrowser() ? [] : ['MiniBrowser'])),
  async open() {
    const display = `:${100 + (process.pid % 400)}`;
    const screen = spawn(SCREEN, [display, '-screen', '0', '1280x1024x24', '-nolisten', 'tcp']);
    const port = await freePort();
    const env = { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' };
    const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], { env });
    await listening(port);
    const options = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = new Capabilities({
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': options,
    });
    const browser = await new Builder()
      .usingServer(`http://127.0.0.1:${port}`)
      .withCapabilities(capabilities)
      .build();
    await browser.manage().setTimeouts({ script: 60_000 });
    return {
      goto: (url) => browser.get(url),
      async evaluate<T>(body: string) {
        const script = `const done = arguments[0];
          (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
        const { value, error } = await browser.executeAsyncScript<{ value: T; error?: string }>(
          script,
        );
        if (error) throw new Error(error);
        return value;
      },
      async close() {
        await browser.quit().catch(() => {});
        driver.kill();
        screen.kill();
      },
    };
  },
};

function miniBrowser(): string | undefined {
  return ['4.1', '4.0', '6.0']
    .map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`)
    .find((file) => fs.existsSync(file));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on port ${port} after 20 seconds`);
}
