/** One version of the built folder. */
export interface Folder {
  version: string;
  /** Path from the folder: SHA-256 as hexadecimal digits. */
  files: Record<string, string>;
}

/** The kept file that an address inside the folder means; what follows `?` or `#` changes no file. */
export function keptPath(url: string, scope: string): string {
  const { origin, pathname } = new URL(url);
  const file = origin + pathname;
  return file === scope ? `${scope}index.html` : file;
}

export function isKeptUrl(url: string, scope: string, { files }: Folder): boolean {
  const path = keptPath(url, scope);
  return path.startsWith(scope) && path.slice(scope.length) in files;
}
