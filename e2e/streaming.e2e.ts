import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { Node } from '@nodeagent/api';
import { dialUpgrade, openHeaders, openRemoteCommand, parseCommandEnd, type WantedStreams } from '@nodeagent/streaming';
import { createTestApiServer, type TestApiServer } from '@nodeagent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from './agent-process.js';
import { type PrivateContainerd, startContainerd, testImage } from './containerd.js';
import { createKubectl, type Kubectl } from './kubectl.js';
import { provideContainerd } from './provide-containerd.js';
import { provideKubectl } from './provide-kubectl.js';
import { until } from './until.js';
import { createWorkspace, type Workspace } from './workspace.js';

const required = process.env.NODEAGENT_E2E === 'required';
const isRoot = process.getuid?.() === 0;
const kubectlBinary = provideKubectl(required);
const binaries = isRoot ? provideContainerd(false).found.find(({ series }) => series === '2') : undefined;

const bigBytes = 20_000_000;
const lines = 400;
const talk = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i of many, long enough to fill a small log soon"; usleep 20000; done; sleep 1000`;

/** Pods that talk, that hear, and that serve a file. */
const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: talker }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: "${testImage}", imagePullPolicy: Never, command: [sh, -c, '${talk}'] }]
---
apiVersion: v1
kind: Pod
metadata: { name: hearer }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: "${testImage}"
      imagePullPolicy: Never
      stdin: true
      stdinOnce: true
      command: [sh, -c, 'while read word; do echo "heard $word"; done; echo silence']
  restartPolicy: Never
---
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: "${testImage}"
      imagePullPolicy: Never
      command: [sh, -c, 'mkdir /srv; head -c ${bigBytes} /dev/urandom > /srv/big; exec httpd -f -p 8080 -h /srv']
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 }
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** kubectl, the API server in between, `nodeagent run` as the node, containerd. */
function streamingSuite(kubectlPath: string, containerdBinaries: NonNullable<typeof binaries>): void {
  let work: Workspace;
  let containerd: PrivateContainerd;
  let server: TestApiServer;
  let agent: AgentProcess;
  let nodePort: number;
  let kubectl: Kubectl;
  let overSpdy: Kubectl;

  beforeAll(async () => {
    work = createWorkspace();
    containerd = await startContainerd(containerdBinaries);
    server = createTestApiServer({ scheduler: true, nodeRestriction: true });
    await server.listen({ tls: true });
    nodePort = await freePort();
    writeFileSync(join(work.dir, 'config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    writeFileSync(join(work.dir, 'node-config'), server.kubeconfig({ user: { username: 'system:node:e2e', groups: ['system:nodes'] } }));
    writeFileSync(join(work.dir, 'ca.crt'), server.caCertificate);
    writeFileSync(
      join(work.dir, 'kubelet.yaml'),
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncontainerLogMaxSize: 10Ki\ncontainerLogMonitorInterval: 3s\n',
    );
    kubectl = createKubectl(kubectlPath, work.dir);
    overSpdy = createKubectl(kubectlPath, work.dir, {
      KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
      KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
    });
    agent = startAgent([
      ...work.flags,
      ...['--runtime-endpoint', containerd.endpoint, '--kubeconfig', join(work.dir, 'node-config')],
      ...['--config', join(work.dir, 'kubelet.yaml'), '--port', `${nodePort}`, '--client-ca-file', join(work.dir, 'ca.crt')],
    ]);
    await until('the node', async () => server.objects.get<Node>('nodes', 'e2e'), 20_000);
    await kubectl.succeeds('wait node e2e --for=condition=Ready --timeout=60s');
    await kubectl.succeeds('apply -f -', manifest);
    await kubectl.succeeds('wait pod --all --for=condition=Ready --timeout=60s');
  });
  afterAll(async () => {
    await agent?.end('SIGKILL');
    await server?.close();
    await containerd?.cleanup();
    work?.remove();
  });

  it('logs -f: every line, across rotations', async () => {
    const follow = kubectl.start('logs -f talker');
    let seen = '';
    follow.stdout.on('data', (data) => {
      seen += data;
    });
    await until('the last line', async () => seen.includes(`line ${lines} of`));
    follow.kill();
    expect(seen.trim().split('\n')).toEqual(
      Array.from({ length: lines }, (_, index) => `line ${index + 1} of many, long enough to fill a small log soon`),
    );
    const [podLogs = ''] = readdirSync(join(work.root, 'logs')).filter((name) => name.startsWith('default_talker_'));
    expect(readdirSync(join(work.root, 'logs', podLogs, 'main')).length).toBeGreaterThan(1);
    expect(await kubectl.succeeds('logs talker --tail=1')).toBe(`line ${lines} of many, long enough to fill a small log soon\n`);
  });

  it.each(['WebSocket', 'SPDY'])('exec over %s: input, both outputs, exit code', async (transport) => {
    const { run } = transport === 'SPDY' ? overSpdy : kubectl;
    expect(await run(['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 42'])).toMatchObject({
      code: 42,
      out: expect.stringMatching(/^(?=[\s\S]*out\n)(?=[\s\S]*err\n)[\s\S]*exit code 42\n$/),
    });
    const input = randomBytes(3_000_000).toString('base64');
    expect(await run(['exec', '-i', 'web', '--', 'sha256sum'], input)).toEqual({ code: 0, out: `${sha(Buffer.from(input))}  -\n` });
    expect((await run(['exec', 'web', '-c', 'none', '--', 'true'])).out).toContain('container none is not valid for pod web');
    expect((await run(['exec', 'web', '--', 'no-such-program'])).code).not.toBe(0);
  });

  it('exec on a terminal, which has the size of the one that kubectl runs on', async () => {
    const command = `stty rows 33 cols 99; ${kubectlPath} --kubeconfig ${join(work.dir, 'config')} exec -it web -- sh -c 'tty; stty size; exit 7'`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const out = await text(child.stdout);
    expect(out).toContain('/dev/pts/');
    expect(out).toContain('33 99');
    expect(await exited).toBe(7);
  });

  it('attach: input into the container, its output until it ends', async () => {
    const { out, code } = await kubectl.run('attach -i hearer', 'one\ntwo\n');
    expect(out).toContain('heard two\nsilence\n');
    expect(code).toBe(0);
    await kubectl.succeeds('wait pod hearer --for=jsonpath={.status.phase}=Succeeded --timeout=30s');
  });

  it.each(['WebSocket', 'SPDY'])('port-forward over %s: 20 MB, twice at once', async (transport) => {
    const { start } = transport === 'SPDY' ? overSpdy : kubectl;
    const [sum] = (await kubectl.succeeds('exec web -- sha256sum /srv/big')).split(' ');
    const forward = start('port-forward web :8080');
    let said = '';
    for (const stream of [forward.stdout, forward.stderr]) {
      stream.on('data', (data) => {
        said += data;
      });
    }
    const [, port] = await until('kubectl forwards', async () => /127\.0\.0\.1:(\d+) -> 8080/.exec(said) ?? undefined);
    const get = async () => new Uint8Array(await (await fetch(`http://127.0.0.1:${port}/big`)).arrayBuffer());
    expect((await Promise.all([get(), get()])).map(sha)).toEqual([sum, sum]);
    forward.kill();
  });

  it('answers clients of its own, and nobody without credentials', async () => {
    const target = new URL(`https://127.0.0.1:${nodePort}/exec/default/web/main?command=cat&input=1&output=1`);
    const ask = (tls: object) => dialUpgrade({ target, method: 'POST', headers: openHeaders, tls: { rejectUnauthorized: false, ...tls } });
    const stranger = await ask({});
    expect(stranger.answer.statusCode).toBe(401);
    const answered = await ask(server.issueClientCertificate({ username: 'jane', groups: ['system:masters'] }));
    if (answered.socket === undefined) throw new Error(`status ${answered.answer.statusCode}`);
    const wanted: WantedStreams = { stdin: true, stdout: true, stderr: false, tty: false };
    const command = openRemoteCommand(answered, wanted);
    const input = randomBytes(2_000_000);
    command.stdin?.end(input);
    const output = command.stdout && (await buffer(command.stdout));
    expect(output && sha(output)).toBe(sha(input));
    expect(parseCommandEnd(await command.ended)).toEqual({ exitCode: 0 });
    command.close();
  });
}

if (kubectlBinary === undefined || binaries === undefined) {
  const why = kubectlBinary === undefined ? 'there is no kubectl' : isRoot ? 'containerd 2 is not installed' : 'containerd needs root';
  it('streams on containerd 2', (context) => {
    if (required && isRoot) throw new Error(`kubectl and containerd 2 are required, but ${why}`);
    console.log(`skipped: streams on containerd 2, because ${why}`);
    context.skip();
  });
} else describe('streams on containerd 2', () => streamingSuite(kubectlBinary, binaries));
