import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The only pnpm this repository is built with; it comes from the npm registry into `.tools/`, never through corepack. */
export const pnpmVersion = '10.34.9';

/** Runs a command with an argument array and inherits the terminal; ends this process with the command's status if it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Path of the pinned pnpm's entry script, fetched on first use. */
export function pnpmPath() {
  const prefix = join(root, '.tools', `pnpm-${pnpmVersion}`);
  const entry = join(prefix, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
  if (!existsSync(entry)) {
    mkdirSync(prefix, { recursive: true });
    console.error(`fetching pnpm ${pnpmVersion} (once)`);
    run('npm', ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', `pnpm@${pnpmVersion}`]);
  }
  return entry;
}

export function pnpm(args, options) {
  run(process.execPath, [pnpmPath(), ...args], { env: { ...process.env, CI: process.env.CI ?? 'true' }, ...options });
}
