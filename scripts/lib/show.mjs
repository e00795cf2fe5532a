import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { root } from './pnpm.mjs';

/** Runs a command with an argument array, shows what it prints as it comes, and returns the lines of its stdout that match. */
export function runShowing(command, args, pattern) {
  return new Promise((resolve, reject) => {
    const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
    const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] });
    const lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      const plain = stripVTControlCharacters(line);
      if (pattern.test(plain)) lines.push(plain);
    });
    child.stdout.pipe(process.stdout, { end: false });
    child.on('error', reject);
    child.on('close', (status) => resolve({ ok: status === 0, lines }));
  });
}
