import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes the plugin's program into a plugin folder. A published plugin is a file of JavaScript that begins with `#!/usr/bin/env node`. */
export function installHostsPlugin(folder: string): void {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  // In a clone it has the paths of the packages' sources.
  const tsconfig = here('../../tsconfig.json');
  const script = [
    '#!/bin/sh',
    ...(existsSync(tsconfig) ? [`export TSX_TSCONFIG_PATH="${tsconfig}"`] : []),
    `exec "${process.execPath}" --import "${tsx}" "${here('./hosts-plugin.ts')}"`,
  ];
  writeFileSync(join(folder, 'hosts'), `${script.join('\n')}\n`, { mode: 0o755 });
}
