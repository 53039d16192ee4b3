import type { Controller } from './controller';
import type { Store } from './state';

/** A file dropped anywhere on the page is loaded as a model. */
export function acceptDrops(store: Store, controller: Controller): void {
  const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener('dragover', (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    if (!store.state.dragging) store.update({ dragging: true });
  });
  addEventListener('dragleave', (event) => {
    // Leaving one element for another inside the page names where it goes; leaving the page does not.
    if (event.relatedTarget === null) store.update({ dragging: false });
  });
  addEventListener('drop', (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    store.update({ dragging: false });
    const file = event.dataTransfer?.files[0];
    if (file) void controller.load({ source: file, label: file.name, kind: 'other' });
  });
}
