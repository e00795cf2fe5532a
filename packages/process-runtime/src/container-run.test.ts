import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@nodeagent/api';
import { expect, it, onTestFinished } from 'vitest';
import { runContainer } from './container-run.js';
import { launch } from './launch.js';
import { createProcessTable } from './process-table.js';

it('kills the process of an exec whose start was in progress when the container exited', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'container-run-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const spec = (command: string[]) => ({ command, env: { PATH: process.env.PATH ?? '' }, cwd: '/', stdin: false });
  const ports = {
    clock: systemClock,
    logger: silentLogger,
    pipeFolder: folder,
    processes: createProcessTable({ folder, device: statSync(folder).dev }),
    stamp: () => 0n,
  };
  const run = await runContainer(
    { containerId: 'c', launch: spec(['true']), logPath: '', tty: false, stopSignal: 15, onStarted() {} },
    ports,
  );
  await run.ended;
  const late = await launch(spec(['sleep', '1000']), { pipeFolder: folder, containerId: 'c', onStarted: run.adopt });
  expect(await late.exited).toBe(137);
  late.release();
});
