export function writeOfflineWorker(bundle: string, dir?: string): void;
