export function run(
  command: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string; show: 'never'; allowFailure: true },
): Promise<{ code: number; output: string }>;
