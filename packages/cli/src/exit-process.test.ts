import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const source = fileURLToPath(new URL('./exit-process.ts', import.meta.url));

/** Another process, which exits with 130 while it does `work`. */
async function exitDuring(work: string) {
  const script = `import(${JSON.stringify(source)}).then(({ exitProcess }) => { ${work}; return exitProcess(130); })`;
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { stderr, code, signal };
}

it('exits with the code after the file operations in progress', async () => {
  const work = `require('node:fs').readFile('/proc/self/status', () => {}); require('node:dns').lookup('localhost', () => {})`;
  expect(await exitDuring(work)).toEqual({ stderr: '', code: 130, signal: null });
});

it('ends a process whose file operations hang', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'exit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const work = `for (let each = 0; each < 5; each++) require('node:fs').readFile(${JSON.stringify(pipe)}, () => {})`;
  expect(await exitDuring(work)).toEqual({
    stderr: 'error: file operations hang; ended by SIGKILL instead of exit code 130\n',
    code: null,
    signal: 'SIGKILL',
  });
});
