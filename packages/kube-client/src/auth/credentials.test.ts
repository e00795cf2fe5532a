import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient } from '../client.js';
import type { ClientIdentity, ExecPluginConfig } from '../config/cluster-config.js';
import { podObject, type RecordedRequest, type ScriptedResponse, scriptedTransport, statusBody } from '../fixtures/scripted-transport.js';
import type { ProgramRequest, ProgramResult } from './run-program.js';

function setUp(
  identity: ClientIdentity,
  {
    files = {},
    run,
    answer,
  }: {
    files?: Record<string, string>;
    run?: (request: ProgramRequest) => Partial<ProgramResult>;
    answer?: (request: RecordedRequest) => ScriptedResponse;
  } = {},
) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const reads: string[] = [];
  const runs: ProgramRequest[] = [];
  const transport = scriptedTransport((request) => answer?.(request) ?? { body: podObject('a', 1) });
  const client = createKubeClient({
    cluster: { server: 'https://test:6443', certificateAuthority: { data: 'CA' }, identity },
    transport,
    clock,
    logger,
    files: {
      async readFile(path) {
        reads.push(path);
        const text = files[path];
        if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
        return text;
      },
    },
    async runProgram(request) {
      runs.push(request);
      return { exitCode: 0, stdout: '', stderr: '', ...run?.(request) };
    },
  });
  const get = () => client.pods.get({ namespace: 'default', name: 'a' });
  const last = () => transport.requests.at(-1);
  return { clock, logger, reads, runs, files, get, last, requests: transport.requests };
}

const plugin: ExecPluginConfig = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  args: ['--for', 'me'],
  env: { A: 'b' },
  provideClusterInfo: false,
};
const credential = (status: object, apiVersion = plugin.apiVersion) => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
const refuse: ScriptedResponse = { status: 401, body: statusBody(401, 'Unauthorized') };

describe('credentials', () => {
  it('are a token, or a user name and a password', async () => {
    const token = setUp({ token: 't1' });
    await token.get();
    expect(token.last()?.headers.authorization).toBe('Bearer t1');
    const basic = setUp({ basic: { username: 'me', password: 'p:w' } });
    await basic.get();
    expect(basic.last()?.headers.authorization).toBe(`Basic ${Buffer.from('me:p:w').toString('base64')}`);
  });

  it('from a file are read again each minute, and kept while the file cannot be read', async () => {
    const { clock, get, last, files, reads, logger } = setUp({ tokenFile: '/token' }, { files: { '/token': 't1\n' } });
    await get();
    await clock.advance(59_000);
    files['/token'] = 't2';
    await get();
    expect(last()?.headers.authorization).toBe('Bearer t1');
    expect(reads).toHaveLength(1);
    await clock.advance(1_000);
    await get();
    expect(last()?.headers.authorization).toBe('Bearer t2');
    files['/token'] = '';
    await clock.advance(60_000);
    await get();
    expect(last()?.headers.authorization).toBe('Bearer t2');
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
    expect(JSON.stringify(logger.lines)).not.toContain('t2');
  });

  it('name the unreadable file', async () => {
    await expect(setUp({ tokenFile: '/none' }).get()).rejects.toMatchObject({
      code: 'CredentialFile',
      details: { file: '/none' },
      retryable: true,
    });
  });

  it('from a file are read again at once after a 401, and the call is retried if they have changed', async () => {
    const state = setUp(
      { tokenFile: '/token' },
      {
        files: { '/token': 't1' },
        answer: ({ headers }) => (headers.authorization === 'Bearer t2' ? { body: podObject('a', 1) } : refuse),
      },
    );
    await expect(state.get()).rejects.toMatchObject({ code: 'ApiError' });
    expect(state.requests).toHaveLength(1);
    state.files['/token'] = 't2';
    await state.get();
    expect(state.last()?.headers.authorization).toBe('Bearer t2');
  });

  it('are a new object after a certificate rotation, and the same object otherwise', async () => {
    const { clock, get, last, files } = setUp(
      { clientCertificate: { file: '/pair.pem' }, clientKey: { file: '/pair.pem' } },
      { files: { '/pair.pem': '-----BEGIN one' } },
    );
    await get();
    const first = last()?.tls;
    expect(first).toEqual({ ca: 'CA', cert: '-----BEGIN one', key: '-----BEGIN one' });
    await clock.advance(61_000);
    await get();
    expect(last()?.tls).toBe(first);
    files['/pair.pem'] = '-----BEGIN two';
    await clock.advance(61_000);
    await get();
    expect(last()?.tls).toEqual({ ca: 'CA', cert: '-----BEGIN two', key: '-----BEGIN two' });
  });
});

describe('a credential plugin', () => {
  it('runs once, until its credentials expire', async () => {
    let count = 0;
    const { clock, get, last, runs } = setUp(
      { exec: plugin },
      {
        run: () => ({
          stdout: credential({ token: `t${++count}`, expirationTimestamp: new Date(Date.UTC(2026, 0, 1) + 600_000).toISOString() }),
        }),
      },
    );
    await Promise.all([get(), get()]);
    await clock.advance(599_000);
    await get();
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ command: 'login', args: ['--for', 'me'], env: { A: 'b' } });
    expect(JSON.parse(String(runs[0]?.env.KUBERNETES_EXEC_INFO))).toEqual({
      apiVersion: plugin.apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
    await clock.advance(1_000);
    await get();
    expect(last()?.headers.authorization).toBe('Bearer t2');
  });

  it('runs again after a 401, and its certificate is used', async () => {
    let count = 0;
    const { get, last, runs } = setUp(
      { exec: { ...plugin, provideClusterInfo: true, clusterExtension: { x: 1 } } },
      {
        run: () => ({ stdout: credential({ clientCertificateData: `c${++count}`, clientKeyData: 'k' }) }),
        answer: ({ tls }) => (tls?.cert === 'c1' ? refuse : { body: podObject('a', 1) }),
      },
    );
    await get();
    expect(runs).toHaveLength(2);
    expect(last()?.tls).toEqual({ ca: 'CA', cert: 'c2', key: 'k' });
    expect(JSON.parse(String(runs[0]?.env.KUBERNETES_EXEC_INFO)).spec.cluster).toEqual({
      server: 'https://test:6443',
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
      config: { x: 1 },
    });
  });

  it('that returns rejected credentials again runs at most once a minute', async () => {
    const { clock, get, runs } = setUp({ exec: plugin }, { run: () => ({ stdout: credential({ token: 't' }) }), answer: () => refuse });
    for (let second = 0; second < 30; second++) {
      await expect(get()).rejects.toMatchObject({ code: 'ApiError' });
      await clock.advance(1_000);
    }
    expect(runs).toHaveLength(2);
    await clock.advance(60_000);
    await expect(get()).rejects.toMatchObject({ code: 'ApiError' });
    expect(runs).toHaveLength(3);
  });

  it('does not delay the abort of a call', async () => {
    const clock = createVirtualClock();
    const client = createKubeClient({
      cluster: { server: 'https://test', identity: { exec: plugin } },
      transport: scriptedTransport(() => ({ body: {} })),
      clock,
      runProgram: () => new Promise(() => {}),
    });
    const informer = client.pods.informer();
    await informer.start();
    await clock.settle();
    await informer.stop();
    const controller = new AbortController();
    const failure = client.version({ signal: controller.signal }).catch((error) => error);
    await clock.settle();
    controller.abort(new Error('enough'));
    expect(await failure).toMatchObject({ message: 'enough' });
  });

  it('that does not exit is killed after a timeout', async () => {
    const clock = createVirtualClock();
    const client = createKubeClient({
      cluster: { server: 'https://test', identity: { exec: plugin } },
      transport: scriptedTransport(() => ({ body: {} })),
      clock,
      runProgram: ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const failure = client.version().catch((error) => error);
    await clock.advance(60_000);
    expect(await failure).toMatchObject({ code: 'ExecPlugin', message: 'credential plugin login: did not finish within 60 s' });
  });

  it.each<[string, Partial<ProgramResult>, string]>([
    ['is missing', { exitCode: undefined, problem: 'ENOENT' }, 'not found'],
    ['may not run', { exitCode: undefined, problem: 'EACCES' }, 'could not run: EACCES'],
    ['fails', { exitCode: 3, stdout: 'secret', stderr: 'no login\nmore' }, 'exited with 3: no login'],
    ['prints nonsense', { stdout: 'secret' }, 'output is not JSON'],
    ['prints something else', { stdout: '{"kind":"Pod"}' }, 'output is not an ExecCredential'],
    [
      'prints another version',
      { stdout: credential({ token: 'x' }, 'client.authentication.k8s.io/v1beta1') },
      `output is an ExecCredential of client.authentication.k8s.io/v1beta1, expected ${plugin.apiVersion}`,
    ],
    ['prints a token with a line end', { stdout: credential({ token: 'secret\n' }) }, 'output: status.token must not contain a line end'],
    ['prints nothing of use', { stdout: credential({}) }, 'output has neither a token nor a certificate'],
    [
      'prints half a pair',
      { stdout: credential({ clientKeyData: 'secret' }) },
      'output has a certificate without a key, or a key without a certificate',
    ],
  ])('that %s is named, without its output', async (_name, result, problem) => {
    const { get } = setUp({ exec: { ...plugin, installHint: 'install it' } }, { run: () => result });
    await expect(get()).rejects.toMatchObject({ code: 'ExecPlugin', retryable: true, message: `credential plugin login: ${problem}` });
  });
});
