import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url));

it('an agent whose file operations hang ends after the second signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hung-agent-'));
  const [pipe, preload, manifests] = ['pipe', 'preload.mjs', 'manifests'].map((name) => join(folder, name)) as [string, string, string];
  execFileSync('mkfifo', [pipe]);
  mkdirSync(manifests);
  writeFileSync(
    preload,
    `import { readFile } from 'node:fs';
process.on('SIGUSR2', () => {
  for (let each = 0; each < 8; each++) readFile(${JSON.stringify(pipe)}, () => {});
  console.log('blocked');
});`,
  );
  const flags = [
    '--runtime-endpoint',
    'process',
    '--root-dir',
    join(folder, 'root'),
    '--pod-logs-dir',
    join(folder, 'logs'),
    '--manifests',
    manifests,
  ];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--import', pathToFileURL(preload).href, bin, 'run', '--port=0', '--healthz-port=0', ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const until = async (text: string) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the agent ended before it printed "${text}": ${errors}`);
      if (String(value).includes(text)) return;
    }
  };
  await until('pods from');
  child.kill('SIGUSR2');
  await until('blocked');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await until('stopping');
  // A signal within 200 ms of another counts as the same one.
  await sleep(300);
  child.kill('SIGTERM');
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(errors).toContain('file operations hang');
});
