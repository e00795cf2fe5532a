import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { silentLogger, systemClock } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createProcessRuntime, type ProcessRuntime } from '@nodeagent/process-runtime';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveLocalApi } from '../local-api/serve-local-api.js';
import { main } from '../main.js';
import { createTestConsole } from '../test-console.js';

let rootDir: string;
let runtime: ProcessRuntime;
let agent: NodeAgent;
let closeApi: () => Promise<void>;

const script = (text: string) => ({ image: 'host', imagePullPolicy: 'IfNotPresent' as const, command: ['sh', '-c', text] });

/** An agent on the embedded runtime with a pod of two containers, and its socket. */
beforeAll(async () => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-containers-'));
  runtime = createProcessRuntime({ root: join(rootDir, 'runtime'), clock: systemClock });
  await runtime.start();
  const pod = buildPod({
    name: 'web-n1',
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: 'main', ...script('echo one; echo two >&2; echo three; exec sleep 1000') },
      { name: 'side', ...script('echo "from side"; sleep 2; echo bye') },
    ],
    restartPolicy: 'Never',
  });
  const waiting = buildPod({
    name: 'waiting-n1',
    initContainers: [{ name: 'init', ...script('sleep 1000') }],
    terminationGracePeriodSeconds: 0,
  });
  const podLogsDir = join(rootDir, 'logs');
  agent = createNodeAgent({
    nodeName: 'n1',
    rootDir: join(rootDir, 'agent'),
    podLogsDir,
    sources: [createManualSource([pod, waiting])],
    cri: { runtime: runtime.runtime, image: runtime.image },
  });
  closeApi = await serveLocalApi({
    agent,
    node: 'n1',
    runtime: 'embedded',
    podLogsDir,
    clock: systemClock,
    rootDir,
    logger: silentLogger,
  });
  const running = new Promise<void>((resolve) => {
    agent.on('status', (_pod, { phase }) => {
      if (phase === 'Running') resolve();
    });
  });
  await agent.start();
  await running;
});
afterAll(async () => {
  await closeApi();
  await agent.stopPods();
  await agent.stop();
  await runtime.stop();
  rmSync(rootDir, { recursive: true, force: true });
});

async function call(args: string[], stdin?: Readable) {
  const { console, stdout, stderr, end } = createTestConsole({ ...(stdin && { stdin }) });
  const [command = '', ...rest] = args;
  const code = main([command, '--root-dir', rootDir, ...rest], console);
  return { code: await code, stdout: stdout.text, stderr: stderr.text, end };
}

describe('nodeagent exec', () => {
  it('returns stdout, stderr and the exit code of the command', async () => {
    expect(await call(['exec', 'web', '-c', 'main', '--', 'sh', '-c', 'echo out; echo err >&2; exit 42'])).toMatchObject({
      code: 42,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await call(['exec', 'web', '--', 'printf', '%s', '--stdin'])).toMatchObject({
      code: 0,
      stdout: '--stdin',
      stderr: 'container "main" of main, side\n',
    });
  });

  it('passes stdin to the command', async () => {
    const { code, stdout } = await call(['exec', '-i', 'web', '-c', 'main', '--', 'tr', 'a-z', 'A-Z'], Readable.from(['one ', 'two']));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ONE TWO' });
  });

  it.each([
    [['exec'], 2, 'exec: POD is required'],
    [['exec', 'web'], 2, 'exec: a command is required'],
    [['exec', 'web', '-t', '--', 'sh'], 2, '--tty: requires a terminal'],
    [['exec', 'web', '-c', 'mian', '--', 'sh'], 1, 'pod web-n1 has no container "mian"; did you mean main?'],
    [['exec', 'wbe', '--', 'sh'], 1, 'no pod "wbe"; did you mean default/web-n1?'],
    [['exec', 'web', '-c', 'main', '--', 'no-such-program'], 1, 'executable file not found in $PATH'],
  ])('%j ends with %i', async (args, code, text) => {
    const result = await call(args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(text);
  });
});

describe('nodeagent logs', () => {
  it('prints the log, with tail, since and timestamps', async () => {
    const lines = async () => (await call(['logs', 'web', '-c', 'main'])).stdout.split('\n').sort();
    await expect.poll(lines).toEqual(['', 'one', 'three', 'two']);
    expect(await call(['logs', 'web', '--tail', '0', '-c', 'main'])).toMatchObject({ code: 0, stdout: '' });
    expect((await call(['logs', 'web', '--since', '1ms', '-c', 'main'])).stdout).toBe('');
    const { stdout } = await call(['logs', 'web', '--timestamps', '--tail', '1', '-c', 'main']);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\S+ \w+\n$/);
  });

  it('follows a container to its end', async () => {
    expect(await call(['logs', '-f', 'web', '-c', 'side'])).toMatchObject({ code: 0, stdout: 'from side\nbye\n' });
  });

  it.each([
    [['logs'], 2, 'logs: POD is required'],
    [['logs', 'web', '--tail', '-1'], 2, '--tail'],
    [['logs', 'web', '--since', 'yesterday'], 2, '--since: "yesterday" is not a duration'],
    [['logs', 'web', '-c'], 2, '--container: a value is required'],
    [['logs', 'waiting', '-c', 'main'], 1, 'error: container "main" in pod "waiting-n1" is waiting to start: PodInitializing'],
    [['logs', 'web', '--previous'], 1, 'was not restarted: there is no previous log'],
  ])('%j ends with %i', async (args, code, text) => {
    const result = await call(args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(text);
  });
});

describe('nodeagent events', () => {
  it('lists them, oldest first, as text and as JSON', async () => {
    const { code, stdout } = await call(['events', '--pod', 'web']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Time +Type +Reason +Pod +Message\n/);
    expect(stdout).toMatch(/\n\S+Z +Normal +Started +default\/web-n1 +\S/);
    const lines = (await call(['events', '--output', 'json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ reason }) => reason)).toContain('Created');
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort((one, other) => one - other));
  });

  it('prints new events until it is interrupted', async () => {
    const { console, stdout, end } = createTestConsole();
    const watching = main(['events', '--watch', '--output', 'json', '--root-dir', rootDir], console);
    await expect.poll(() => stdout.text).toContain('"reason":"Started"');
    end('SIGINT');
    expect(await watching).toBe(0);
  });
});
