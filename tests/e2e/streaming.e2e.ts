import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { Node } from '@nodeagent/api';
import {
  createSpdySession,
  dialUpgrade,
  openHeaders,
  openRemoteCommand,
  parseCommandEnd,
  portForwardProtocol,
  type RemoteCommandStreams,
} from '@nodeagent/streaming';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, command, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { required } from '../support/containerd/describe-on-containerd.js';
import { freePort } from '../support/free-port.js';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { parsePrometheusText } from '../support/prometheus-text.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const kubectlBinary = provideKubectl(required);

const bigBytes = 20_000_000;
const lines = 400;
const talk = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i of many, long enough to fill a small log quickly"; usleep 20000; done; sleep 1000`;

/** A pod that echoes its input until the end of it. */
const receiver = (name: string) => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: "${testImage}"
      imagePullPolicy: Never
      stdin: true
      stdinOnce: true
      command: [sh, -c, 'while read word; do echo "received $word"; done; echo silence']
  restartPolicy: Never
`;

/** Pods that print, that read input, and that serve a file. */
const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: talker }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: "${testImage}", imagePullPolicy: Never, command: [sh, -c, '${talk}'] }]
${receiver('receiver')}${receiver('other-receiver')}---
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

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A node of a test API server, and a user of its cluster. */
interface JoinedNode {
  work: Workspace;
  server: TestApiServer;
  agent: AgentProcess;
  port: number;
  kubectl: Kubectl;
  end(): Promise<void>;
}

async function startNode(kubectlPath: string, flags: readonly string[] = []): Promise<JoinedNode> {
  const work = createWorkspace();
  const server = createTestApiServer({ network: machineNetwork, scheduler: true, nodeRestriction: true });
  await server.listen({ tls: true });
  const port = await freePort();
  writeFileSync(join(work.dir, 'config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
  writeFileSync(join(work.dir, 'node-config'), server.kubeconfig({ user: { username: 'system:node:e2e', groups: ['system:nodes'] } }));
  writeFileSync(join(work.dir, 'ca.crt'), server.caCertificate);
  writeFileSync(
    join(work.dir, 'kubelet.yaml'),
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncontainerLogMaxSize: 10Ki\ncontainerLogMonitorInterval: 3s\n',
  );
  const kubectl = createKubectl(kubectlPath, work.dir);
  const agent = startAgent([
    ...[...work.flags, ...flags, '--kubeconfig', join(work.dir, 'node-config'), '--config', join(work.dir, 'kubelet.yaml')],
    ...['--port', `${port}`, '--client-ca-file', join(work.dir, 'ca.crt')],
  ]);
  await until('the node', async () => server.objects.get<Node>('nodes', 'e2e'));
  await kubectl.succeeds('wait node e2e --for=condition=Ready --timeout=60s');
  return {
    ...{ work, server, agent, port, kubectl },
    async end() {
      await agent.end('SIGKILL');
      await server.close();
    },
  };
}

/** A terminal gets its size when the command runs already. */
const untilSized = 'i=0; until stty size | grep "33 99" || [ $((i+=1)) = 100 ]; do sleep 0.1; done';

/** What `kubectl exec -it` shows on a terminal of 99 columns and 33 rows, and how it ends. */
async function onTerminal({ work }: JoinedNode, kubectlPath: string, pod: string, script: string) {
  const kubectlLine = `${kubectlPath} --kubeconfig ${join(work.dir, 'config')} exec -it ${pod} -- sh -c '${script}'`;
  const words = ['--quiet', '--return', '--command', `stty rows 33 cols 99; ${kubectlLine}`, '/dev/null'];
  const child = spawn('script', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { out: await text(child.stdout), code: await exited };
}

/** The local port of kubectl's port-forward. */
async function forwarded({ stdout, stderr }: ReturnType<Kubectl['start']>): Promise<string> {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream.on('data', (data) => {
      output += data;
    });
  }
  return until('kubectl forwards', async () => /127\.0\.0\.1:(\d+) -> /.exec(output)?.[1]);
}

/** kubectl, the API server in between, `nodeagent run` as the node, a runtime. */
function runtimeSuite(kubectlPath: string, testRuntime: TestRuntime): void {
  let runtime: PrivateRuntime;
  let node: JoinedNode;
  let kubectl: Kubectl;
  let overSpdy: Kubectl;

  beforeAll(async () => {
    runtime = await testRuntime.start();
    node = await startNode(kubectlPath, ['--runtime-endpoint', runtime.endpoint]);
    kubectl = node.kubectl;
    overSpdy = createKubectl(kubectlPath, node.work.dir, {
      KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
      KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
    });
    await kubectl.succeeds('apply -f -', manifest);
    await kubectl.succeeds('wait pod --all --for=condition=Ready --timeout=60s');
  });
  cleanUpAfterAll({
    'the node': () => node?.end(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => node?.work.remove(),
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
      Array.from({ length: lines }, (_, index) => `line ${index + 1} of many, long enough to fill a small log quickly`),
    );
    const [podLogs = ''] = readdirSync(join(node.work.root, 'logs')).filter((name) => name.startsWith('default_talker_'));
    expect(readdirSync(join(node.work.root, 'logs', podLogs, 'main')).length).toBeGreaterThan(1);
  });

  it.each(['WebSocket', 'SPDY'])('exec over %s: input, both outputs, exit code', async (transport) => {
    const { run } = transport === 'SPDY' ? overSpdy : kubectl;
    expect(await run(['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 42'])).toMatchObject({
      code: 42,
      // The outputs of kubectl are two pipes, which may be read in any order.
      out: expect.stringMatching(/^(?=[\s\S]*out\n)(?=[\s\S]*err\n[\s\S]*exit code 42\n)/),
    });
    const input = randomBytes(3_000_000).toString('base64');
    expect(await run(['exec', '-i', 'web', '--', 'sha256sum'], input)).toEqual({ code: 0, out: `${sha(Buffer.from(input))}  -\n` });
    expect((await run(['exec', 'web', '-c', 'none', '--', 'true'])).out).toContain('container none is not valid for pod web');
    expect((await run(['exec', 'web', '--', 'no-such-program'])).code).not.toBe(0);
  });

  it('exec on a terminal, which has the size of the one that kubectl runs on', async () => {
    const { out, code } = await onTerminal(node, kubectlPath, 'web', `tty; ${untilSized}; exit 7`);
    expect(out).toContain('/dev/pts/');
    expect(out).toContain('33 99');
    expect(code).toBe(7);
  });

  it('attach: input into the container, its output until it ends', async () => {
    const { out, code } = await kubectl.run('attach -i receiver', 'one\ntwo\n');
    expect(out).toContain('received two\nsilence\n');
    expect(code).toBe(0);
    await kubectl.succeeds('wait pod receiver --for=jsonpath={.status.phase}=Succeeded --timeout=30s');
    expect(await kubectl.succeeds('logs receiver --tail=2')).toBe('received two\nsilence\n');
  });

  it.each(['WebSocket', 'SPDY'])('port-forward over %s: 20 MB, twice at once', async (transport) => {
    const { start } = transport === 'SPDY' ? overSpdy : kubectl;
    // kubectl logs an error beside the output if the server is ready before kubectl has registered its streams.
    const [sum] = /\b[0-9a-f]{64}\b/.exec(await kubectl.succeeds('exec web -- sha256sum /srv/big')) ?? [];
    const forward = start('port-forward web :8080');
    const port = await forwarded(forward);
    const get = async () => new Uint8Array(await (await fetch(`http://127.0.0.1:${port}/big`)).arrayBuffer());
    expect((await Promise.all([get(), get()])).map(sha)).toEqual([sum, sum]);
    forward.kill();
  });

  it("gives the node's pages through the API server, each as a scraper can read it", async () => {
    const page = (path: string) => kubectl.succeeds(`get --raw /api/v1/nodes/e2e/proxy/${path}`);
    expect(await page('healthz')).toBe('ok');
    for (const name of ['metrics', 'metrics/cadvisor', 'metrics/resource', 'metrics/probes', 'metrics/slis']) {
      expect(parsePrometheusText(await page(name)).length, name).toBeGreaterThan(0);
    }
    expect(JSON.parse(await page('configz')).kubeletconfig).toMatchObject({ containerLogMaxSize: '10Ki' });
    expect(await page('containerLogs/default/receiver/main?tailLines=1')).toBe('silence\n');
    expect((await kubectl.run('get --raw /api/v1/nodes/e2e/proxy/logs/../../etc/shadow')).code).not.toBe(0);
  });

  it('serves authenticated clients, and rejects clients without credentials', async () => {
    const ask = (path: string, tls: object, headers: readonly string[] = openHeaders) => {
      const target = new URL(`https://127.0.0.1:${node.port}/${path}`);
      return dialUpgrade({ target, method: 'POST', headers, tls: { rejectUnauthorized: false, ...tls } });
    };
    const jane = node.server.issueClientCertificate({ username: 'jane', groups: ['system:masters'] });
    const connected = async (path: string, headers?: readonly string[]) => {
      const answered = await ask(path, jane, headers);
      if (answered.socket === undefined) throw new Error(`status ${answered.answer.statusCode}`);
      return answered;
    };
    const requested: RemoteCommandStreams = { stdin: true, stdout: true, stderr: false, tty: false };
    const inAndOut = async (path: string, input: Uint8Array | string) => {
      const { stdin, stdout, ended, close } = openRemoteCommand(await connected(`${path}input=1&output=1`), requested);
      stdin?.end(input);
      const output = stdout && (await buffer(stdout));
      const end = parseCommandEnd(await ended);
      close();
      return { output, end };
    };
    expect((await ask('exec/default/web/main?command=id&output=1', {})).answer.statusCode).toBe(401);
    expect((await ask('exec/default/web/none?command=id&output=1', jane)).answer.statusCode).toBe(500);
    expect((await ask('attach/default/none/main?output=1', jane)).answer.statusCode).toBe(404);

    const input = randomBytes(2_000_000);
    const cat = await inAndOut('exec/default/web/main?command=cat&', input);
    expect({ ...cat, output: cat.output && sha(cat.output) }).toEqual({ output: sha(input), end: { exitCode: 0 } });
    expect((await inAndOut('attach/default/other-receiver/main?', 'word\n')).output?.toString()).toBe('received word\nsilence\n');

    const forwardHeaders = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];
    const { socket, head } = await connected('portForward/default/web', forwardHeaders);
    const session = createSpdySession({ socket, head, role: 'client' });
    session.open({ streamtype: 'error', port: '8080', requestid: '0' }).resume().end();
    const data = session.open({ streamtype: 'data', port: '8080', requestid: '0' });
    data.write('GET /big HTTP/1.0\r\n\r\n');
    const answer = await buffer(data);
    // kubectl logs an error beside the output if the server is ready before kubectl has registered its streams.
    const [sum] = /\b[0-9a-f]{64}\b/.exec(await kubectl.succeeds('exec web -- sha256sum /srv/big')) ?? [];
    expect(sha(answer.subarray(answer.indexOf('\r\n\r\n') + 4))).toBe(sum);
    session.close();
    await session.closed;
  });
}

/** The same with the streams of the embedded runtime, and the commands that need no API server. */
function embeddedSuite(kubectlPath: string): void {
  let node: JoinedNode;
  let kubectl: Kubectl;

  beforeAll(async () => {
    node = await startNode(kubectlPath);
    kubectl = node.kubectl;
    await kubectl.succeeds('apply -f -', shellPod('shell', 'echo hello; exec sleep 1000'));
    await kubectl.succeeds('wait pod shell --for=condition=Ready --timeout=60s');
  });
  cleanUpAfterAll({
    'the node': () => node?.end(),
    'the folder': () => node?.work.remove(),
  });

  it('exec: input, both outputs, exit code; on a terminal', async () => {
    const input = randomBytes(1_000_000).toString('base64');
    expect(await kubectl.run(['exec', '-i', 'shell', '--', 'sha256sum'], input)).toEqual({
      code: 0,
      out: `${sha(Buffer.from(input))}  -\n`,
    });
    expect(await kubectl.run(['exec', 'shell', '--', 'sh', '-c', 'echo err >&2; exit 42'])).toMatchObject({
      code: 42,
      out: expect.stringContaining('err\n'),
    });
    const { out, code } = await onTerminal(node, kubectlPath, 'shell', `tty; ${untilSized}; exit 7`);
    expect(out).toContain('/dev/pts/');
    expect(out).toContain('33 99');
    expect(code).toBe(7);
  });

  it('port-forward to a port of the machine, with the last data of the other side', async () => {
    const sent = randomBytes(5_000_000);
    const service = createServer({ allowHalfOpen: true }, (socket) => socket.resume().once('end', () => socket.end(sent)));
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const forward = kubectl.start(`port-forward shell :${(service.address() as AddressInfo).port}`);
    const socket = connect({ host: '127.0.0.1', port: Number(await forwarded(forward)), allowHalfOpen: true });
    socket.end('done');
    expect(sha(await buffer(socket))).toBe(sha(sent));
    forward.kill();
    service.close();
  });

  it('nodeagent logs, exec and events print the same without an API server', async () => {
    const ask = async (...args: string[]) => {
      const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = new Promise((resolve) => child.once('exit', resolve));
      return { out: await text(child.stdout), code: await exited };
    };
    const root = ['--root-dir', node.work.root];
    expect(await ask('logs', 'shell', ...root)).toEqual({ out: 'hello\n', code: 0 });
    expect(await ask('exec', 'shell', ...root, '--', 'sh', '-c', 'echo out; exit 5')).toEqual({ out: 'out\n', code: 5 });
    expect((await ask('events', '--pod', 'shell', ...root)).out).toMatch(/ Started +default\/shell /);
  });
}

if (kubectlBinary === undefined) {
  it('streams', (context) => {
    if (required) throw new Error('kubectl is required, but there is none');
    console.log('skipped: streams, because there is no kubectl');
    context.skip();
  });
} else {
  describe('streams on the embedded runtime', () => embeddedSuite(kubectlBinary));
  describeOnRuntimes('streams', ['2'], (testRuntime) => runtimeSuite(kubectlBinary, testRuntime));
}
