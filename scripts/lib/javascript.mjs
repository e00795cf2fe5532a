import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Builds a package's JavaScript as its tsup.config.ts says. One at a time: tsup works in the process's folder. */
export async function buildJavaScript({ dir }) {
  const { build } = await import('tsup');
  rmSync(join(dir, 'dist'), { recursive: true, force: true });
  process.chdir(dir);
  await build({});
}
