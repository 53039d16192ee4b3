/** Types of serve.mjs, for the TypeScript tests. */
export interface ServerOptions {
  port: number;
  host: string;
  base: string;
  mounts: Record<string, string>;
  isolated: boolean;
  csp: string | undefined;
  headers: Record<string, string>;
  faults: boolean;
}

export interface LoggedRequest {
  method: string;
  path: string;
  status: number;
  bytes: number;
  open: boolean;
}

export interface StaticServer {
  url: string;
  port: number;
  options: ServerOptions;
  log: LoggedRequest[];
  bytesSent(): number;
  close(): Promise<void>;
}

export const strictCsp: string;
export const isolationHeaders: Record<string, string>;
export function createStaticServer(
  root: string,
  settings?: Partial<ServerOptions>,
): Promise<StaticServer>;
