/** Types of first-token.mjs, for the TypeScript tests. */
import type { Page } from '@playwright/test';
import type { StaticServer } from '../serve.mjs';

export function firstToken(
  page: Page,
  server: StaticServer,
): Promise<{ bytes: number; ms: number }>;
