import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type SubjectAccessReview, silentLogger, systemClock, type TokenReview } from '@nodeagent/api';
import { createCertificateFiles, ensureSelfSignedCertificate } from '@nodeagent/certificate-manager';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createProcessRuntime, type ProcessRuntime } from '@nodeagent/process-runtime';
import { createTlsSource } from '@nodeagent/server';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../main.js';
import { createTestConsole } from '../test-console.js';

let work: string;
let runtime: ProcessRuntime;
let agent: NodeAgent;
let server: string;
let files: { certFile: string; keyFile: string };

const script = (text: string) => ({ image: 'host', imagePullPolicy: 'IfNotPresent' as const, command: ['sh', '-c', text] });
/** Verbs allowed for each token. */
const tokens: Record<string, readonly string[]> = { 'may-all': ['get', 'create'], 'may-read': ['get'] };

/** A node with a pod of two containers, queried over HTTPS with a bearer token. */
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'nodeagent-node-'));
  for (const token of Object.keys(tokens)) writeFileSync(join(work, token), `${token}\n`);
  runtime = createProcessRuntime({ root: join(work, 'runtime'), clock: systemClock });
  await runtime.start();
  files = await ensureSelfSignedCertificate({ directory: work, hosts: ['localhost', '127.0.0.1'], clock: systemClock });
  const tokenReviews = {
    create: async ({ spec }: TokenReview) => {
      const username = spec.token ?? '';
      return { spec, status: username in tokens ? { authenticated: true, user: { username } } : { authenticated: false } } as TokenReview;
    },
  };
  const subjectAccessReviews = {
    create: async ({ spec }: SubjectAccessReview) => {
      const allowed = tokens[spec.user ?? '']?.includes(spec.resourceAttributes?.verb ?? '') ?? false;
      return { spec, status: { allowed } } as SubjectAccessReview;
    },
  };
  agent = createNodeAgent({
    nodeName: 'n1',
    rootDir: join(work, 'agent'),
    podLogsDir: join(work, 'logs'),
    sources: [
      createManualSource([
        buildPod({
          name: 'web-n1',
          terminationGracePeriodSeconds: 0,
          containers: [
            { name: 'main', ...script('echo one; sleep 0.1; echo two; exec sleep 1000') },
            { name: 'side', ...script('echo "from side"; sleep 2; echo bye') },
          ],
          restartPolicy: 'Never',
        }),
      ]),
    ],
    cri: { runtime: runtime.runtime, image: runtime.image },
    server: {
      https: {
        address: '127.0.0.1',
        port: 0,
        tls: createTlsSource({ certificate: createCertificateFiles(files).current, clock: systemClock, logger: silentLogger }),
        authentication: { anonymous: false, tokenReviews },
        authorization: { mode: 'Webhook', subjectAccessReviews },
      },
    },
  });
  const running = new Promise<void>((resolve) => {
    agent.on('status', (_pod, { phase }) => {
      if (phase === 'Running') resolve();
    });
  });
  await agent.start();
  server = `https://127.0.0.1:${agent.serverPorts()?.https}`;
  await running;
});
afterAll(async () => {
  await agent.stopPods();
  await agent.stop();
  await runtime.stop();
  rmSync(work, { recursive: true, force: true });
});

interface Caller {
  token?: string;
  trust?: boolean;
  stdin?: Readable;
}

async function call([command = '', ...rest]: string[], { token = 'may-all', trust = true, stdin }: Caller = {}) {
  const { console, stdout, stderr } = createTestConsole({ ...(stdin && { stdin }) });
  const who = [...(token ? ['--token-file', join(work, token)] : []), ...(trust ? ['--certificate-authority', files.certFile] : [])];
  const code = await main([command, '--server', server, ...who, ...rest], console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('commands that query the HTTP API of a node', () => {
  it('list its pods, also as JSON', async () => {
    expect((await call(['pods'])).stdout).toMatch(/^POD .*\ndefault\/web-n1 +\d\/2 +Running /);
    const { pods } = JSON.parse((await call(['pods', '--output', 'json'])).stdout);
    expect(pods).toMatchObject([{ pod: { metadata: { name: 'web-n1' } }, status: { phase: 'Running' } }]);
  });

  it('print logs, from the end or since, with times, and follow them', async () => {
    const lines = async () => (await call(['logs', 'web', '-c', 'main'])).stdout;
    await expect.poll(lines).toBe('one\ntwo\n');
    expect((await call(['logs', 'web', '--tail', '1', '--timestamps', '--since', '10m', '-c', 'main'])).stdout).toMatch(
      /^\d{4}-\S+ two\n$/,
    );
    expect(await call(['logs', '-f', 'web', '-c', 'side'])).toMatchObject({ code: 0, stdout: 'from side\nbye\n' });
  });

  it('run commands, with stdin, stdout, stderr and the exit code', async () => {
    const copied = ['exec', '-i', 'web', '-c', 'main', '--', 'sh', '-c', 'tr a-z A-Z; echo err >&2; exit 42'];
    expect(await call(copied, { stdin: Readable.from(['one ', 'two']) })).toMatchObject({ code: 42, stdout: 'ONE TWO', stderr: 'err\n' });
  });

  it.each<[string[], Caller, string, string]>([
    [['pods'], { token: '' }, 'answers 401: Unauthorized', 'authenticate with --token-file'],
    [['exec', 'web', '-c', 'main', '--', 'true'], { token: 'may-read' }, 'answers 403: Forbidden', 'needs access to nodes/proxy'],
    [['pods'], { trust: false }, 'cannot reach https://127.0.0.1', '--insecure-skip-tls-verify'],
    [['logs', 'web', '-c', 'main', '--previous'], {}, 'answers 400: previous terminated container "main" in pod "web-n1" not found', ''],
    [['logs', 'web-n2'], {}, 'no pod "web-n2"; did you mean default/web-n1?', ''],
  ])('%j reports the error', async (args, caller, why, way) => {
    const { code, stderr } = await call(args, caller);
    expect(code).toBe(1);
    expect(stderr).toContain(why);
    expect(stderr).toContain(way);
  });

  it('accept any certificate with --insecure-skip-tls-verify', async () => {
    expect(await call(['pods', '--insecure-skip-tls-verify'], { trust: false })).toMatchObject({ code: 0 });
  });

  it.each([
    [['pods', '--server', 'edge-1:10250'], '--server: "edge-1:10250" is not a URL'],
    [['pods', '--token-file', 'f'], '--token-file: requires --server'],
    [['pods', '--server', 'http://n1:10255', '--token-file', '/dev/null'], '--token-file: requires an https:// URL'],
    [['pods', '--server', 'https://n1', '--token-file', '/no/such'], '--token-file: cannot read /no/such'],
    [['pods', '--server', 'https://n1', '--client-key', '/dev/null'], '--client-certificate and --client-key: each requires the other'],
  ])('%j is rejected', async (args, why) => {
    const { console, stderr } = createTestConsole({});
    expect(await main(args, console)).toBe(2);
    expect(stderr.text).toContain(why);
  });
});
