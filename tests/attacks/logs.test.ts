import { readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createLogReader, createLogRotator } from '@nodeagent/container-logs';
import { nodeLogFiles, nodeLogSource } from '@nodeagent/container-logs/node';
import { readVolumeFile } from '@nodeagent/mount-utils';
import { createRecordingLogger } from '@nodeagent/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startAttacker } from './attacker.js';
import { runAgent } from './command.js';
import { startMemoryAgent } from './memory-agent.js';
import { createScene, tempFolder } from './scene.js';

it('a rotated log that is a link to a file of the host is not copied into a compressed log', async () => {
  const { volume: logs, host, hostState } = createScene();
  const before = hostState();
  const path = join(logs, '0.log');
  const rotated = join(logs, '0.log.20260101-000000');
  symlinkSync(join(host, 'inner', 'file-0'), rotated);
  symlinkSync(join(host, 'inner', 'file-0'), `${rotated}.gz.tmp`);
  const logger = createRecordingLogger();
  const rotator = createLogRotator({
    files: nodeLogFiles,
    cri: {
      containerStatus: async () => ({ status: { state: 'CONTAINER_RUNNING', logPath: path } as never, info: {} }),
      reopenContainerLog: async () => {
        writeFileSync(path, '');
        return {};
      },
    },
    runningContainers: () => ['id'],
    clock: systemClock,
    logger,
    settings: { containerLogMaxSize: '1Ki', containerLogMaxFiles: 5 },
  });
  for (let round = 0; round < 2; round++) {
    writeFileSync(path, Buffer.alloc(2048));
    await rotator.rotateLogs();
  }
  expect(readdirSync(logs).filter((name) => name.startsWith('0.log.20260101'))).toEqual(['0.log.20260101-000000']);
  expect(logger.lines.map(({ message }) => message)).toContain(`failed to compress log "${rotated}"`);
  expect(hostState()).toEqual(before);
});

it('a file among the logs whose name is a huge number does not keep the container from starting', async () => {
  const agent = await startMemoryAgent();
  agent.memory.scriptImage('host', {});
  const folder = '/var/log/pods/default_p_u/c';
  for (const name of ['2.log', '4294967295.log', '99999999999999999999.log', `${'9'.repeat(200)}.log`]) {
    await agent.files.writeFile(`${folder}/${name}`, '', 0o640);
  }
  agent.setPods([{ metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'host' }] } }]);
  await agent.clock.advance(10_000);
  expect(agent.memory.containers().map(({ attempt, config }) => [attempt, config.logPath])).toEqual([[3, 'c/3.log']]);
});

it('a log of 4 GiB without a line takes no memory', async () => {
  const path = join(tempFolder(), '0.log');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 32);
  const before = process.memoryUsage.rss();
  await expect(drain(createLogReader({ source: nodeLogSource }).read(path))).rejects.toThrow('unsupported log format');
  const client = new AbortController();
  setTimeout(() => client.abort(), 400);
  await expect(drain(createLogReader({ source: nodeLogSource }).read(path, { tailLines: 1, signal: client.signal }))).rejects.toThrow(
    'aborted',
  );
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 << 20);
});

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

it('a file with environment variables that grows without end is read to its limit', async () => {
  const { volume } = createScene();
  const path = join(volume, 'env');
  // 1 KiB, then 1 GiB, without a pause.
  const script =
    'let n = 0; fs.writeFileSync(args[0], Buffer.alloc(1024)); function round() { fs.truncateSync(args[0], n++ % 2 ? 2 ** 30 : 1024); return true; }';
  const attacker = await startAttacker(script, [path]);
  const lengths = new Set<number | undefined>();
  for (const end = performance.now() + 500; performance.now() < end; ) {
    lengths.add((await readVolumeFile(volume, 'env').catch(() => undefined))?.length);
  }
  expect(await attacker.stop()).toBeGreaterThan(100);
  expect([...lengths].sort()).toEqual([1024, undefined]);
});

it('the first line of a file that replaces a log is in no answer, error, message or line of the agent', async () => {
  const folder = tempFolder();
  const secret = join(folder, 'shadow');
  writeFileSync(secret, 'root:secret:1::::::\n');
  const log = '"$(echo $LOGS/default_p-node_*/c)/0.log"';
  const command = ['sh', '-c', `echo first; until [ -s ${log} ]; do sleep 0.1; done; ln -sf ${secret} ${log}; exit 3`];
  const agent = await runAgent((logsDir) => [
    {
      metadata: { name: 'p' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'c', image: 'host', command, env: [{ name: 'LOGS', value: logsDir }], terminationMessagePolicy: 'FallbackToLogsOnError' },
        ],
      },
    },
  ]);
  await vi.waitFor(async () => expect((await agent.call('describe', 'p')).stdout).toContain('Terminated'), 100_000);
  const answers = await Promise.all([
    agent.call('logs', 'p'),
    agent.call('logs', '--tail', '1', 'p'),
    agent.call('describe', 'p'),
    agent.call('events'),
  ]);
  expect(answers.map(({ code }) => code)).toEqual([1, 1, 0, 0]);
  expect(JSON.stringify(answers) + agent.printed()).not.toContain('secret');
});

it('an agent that starts with the umask 000 lets other users read no log and change no file', async () => {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const agent = await runAgent([
    {
      metadata: { name: 'p' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'host', command: ['sh', '-c', 'echo secret; exec sleep 100'] }],
        volumes: [
          { name: 'empty', emptyDir: {} },
          { name: 'self', downwardAPI: { items: [{ path: 'a/b', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
  ]);
  await vi.waitFor(async () => expect((await agent.call('logs', 'p')).stdout).toBe('secret\n'), 100_000);
  const folder = join(agent.rootDir, '..');
  const open: string[] = [];
  const visit = (path: string) => {
    const facts = statSync(path);
    const name = relative(folder, path);
    const mayChange = (facts.mode & 0o002) !== 0 && !facts.isSocket();
    const mayRead = facts.isFile() && (facts.mode & 0o004) !== 0;
    if (mayChange || mayRead) open.push(name);
    // Other users do not enter a folder that they may not search.
    if (facts.isDirectory() && (facts.mode & 0o001) !== 0) for (const child of readdirSync(path)) visit(join(path, child));
  };
  for (const path of [agent.rootDir, agent.logsDir]) visit(path);
  expect(open).toEqual([]);
  expect(readdirSync(agent.logsDir, { recursive: true }).join()).toContain('0.log');
});
