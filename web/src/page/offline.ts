import type { Store } from './state';

/** So long after the page stands, so that it takes nothing from the first run. */
const DELAY_MS = 3000;

/** Keeps this page for visits without network, by a service worker (offline/worker.ts). */
export class Offline {
  /** A newer version, kept and waiting. */
  private waiting: ServiceWorker | null = null;

  constructor(private readonly store: Store) {
    for (const name of ['online', 'offline'] as const) {
      addEventListener(name, () => store.update({ online: navigator.onLine }));
    }
    if (!('serviceWorker' in navigator)) return; // not https
    setTimeout(() => void this.register().catch(sayWhy), DELAY_MS);
  }

  /** Everything that the page shows is lost, so it is for the reader to ask for. */
  useNewVersion(): void {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload());
    this.waiting?.postMessage('use-this-version');
  }

  private async register(): Promise<void> {
    const { serviceWorker } = navigator;
    const registration = await serviceWorker.register('./offline-worker.js', {
      updateViaCache: 'none',
    });
    const announce = (worker: ServiceWorker | null) => {
      if (worker?.state !== 'installed' || !serviceWorker.controller) return;
      this.waiting = worker;
      this.store.update({ newVersion: true });
    };
    announce(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const { installing } = registration;
      installing?.addEventListener('statechange', () => announce(installing));
    });
  }
}

/** The page itself is not hurt: it only needs the network again next time. */
function sayWhy(error: Error): void {
  console.info(`kvscope: this page is not kept for visits without network. ${error.message}`);
}
