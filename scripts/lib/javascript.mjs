import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Builds a package's JavaScript by its tsup.config.ts. One at a time: tsup uses the process's working folder. */
export async function buildJavaScript({ dir }) {
  const { build } = await import('tsup');
  rmSync(join(dir, 'dist'), { recursive: true, force: true });
  process.chdir(dir);
  await build({});
}
