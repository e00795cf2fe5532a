import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { root } from './pnpm.mjs';

/** How many lines of a command's end are kept. */
const lastLines = 30;

/**
 * Runs a command with an argument array, shows what it prints as it comes, and returns the lines of its stdout that match and the last lines of
 * its output. With `priority`, one of `os.constants.priority`, it runs in the background with that priority, and `show` writes what it printed.
 */
export function runShowing(command, args, pattern, { priority, env: given = process.env } = {}) {
  const background = priority !== undefined;
  return new Promise((resolve, reject) => {
    const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...given } : given;
    const child = spawn(command, args, {
      cwd: root,
      env,
      stdio: [background ? 'ignore' : 'inherit', 'pipe', background ? 'pipe' : 'inherit'],
    });
    const lines = [];
    const printed = [];
    const last = [];
    const keepLast = (line) => {
      last.push(line);
      if (last.length > lastLines) last.shift();
    };
    const show = () => process.stdout.write(Buffer.concat(printed));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const plain = stripVTControlCharacters(line);
      if (pattern.test(plain)) lines.push(plain);
      keepLast(plain);
    });
    if (background) {
      if (child.pid !== undefined) setPriority(child.pid, priority);
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => printed.push(bytes));
      createInterface({ input: child.stderr }).on('line', (line) => keepLast(stripVTControlCharacters(line)));
    } else {
      child.stdout.pipe(process.stdout, { end: false });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ ok: status === 0, lines, last, show }));
  });
}
