import { EventEmitter } from 'node:events';
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError, silentLogger } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { PodExplanation, PullInProgress } from '@nodeagent/core/node';
import { buildPod } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPodsReader, fetchPod, fetchPods } from './agent-client.js';
import { agentSocket } from './agent-socket.js';
import { answerRequest, type LocalApiSubject } from './answer-request.js';
import type { RejectedManifest } from './rejected-manifests.js';
import { type LocalApiOptions, serveLocalApi } from './serve-local-api.js';

const pod = buildPod({ name: 'web' });
const view = { pod, status: { phase: 'Running' as const }, state: 'SyncPod' as const, lastEvent: undefined };
const worker: PodExplanation = {
  fullName: 'web_default',
  state: 'SyncPod',
  summary: 'The last sync succeeded.',
  finished: false,
  updatePending: false,
  backOffs: [],
};
const events = [
  { at: 2, firstAt: 1, count: 2, object: { kind: 'Pod' }, type: 'Normal' as const, reason: 'Started', message: 'Container started' },
];
const emitter = new EventEmitter();
const subject: LocalApiSubject = {
  agent: {
    pods: () => [view],
    podCgroup: () => undefined,
    podAssignments: () => undefined,
    explain: (uid) => (uid === podUid(pod) ? worker : undefined),
    events: (uid) => (uid === podUid(pod) ? events : []),
    pulls: () => [],
    runtimeErrors: () => [],
    clusterError: () => undefined,
    certificates: () => ({}),
    stats: undefined,
    eviction: undefined,
    streaming: {
      async execUrl(_pod, container, command, streams) {
        if (container !== 'main') throw new NodeAgentError('ContainerNotFound', `container not found ("${container}")`);
        return new URL(`http://127.0.0.1:1/${command.join('+')}?${JSON.stringify(streams)}`);
      },
      attachUrl: () => Promise.reject(new Error('no attach')),
      portForwardUrl: () => Promise.reject(new Error('no port forward')),
    },
  },
  node: 'n1',
  runtime: 'embedded runtime',
  podLogsDir: '/logs',
  podsVersion: () => 'v1',
  clock: { now: () => 5 },
};
const served: LocalApiOptions['agent'] = {
  ...subject.agent,
  on: (event, listener) => void emitter.on(event, listener),
  off: (event, listener) => void emitter.off(event, listener),
};
const { signal } = new AbortController();
const facts = { now: 5, node: 'n1', runtime: 'embedded runtime', runtimeErrors: [], podLogsDir: '/logs', pulls: [] };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nodeagent-api-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function serve(rootDir = dir) {
  const close = await serveLocalApi({ ...subject, agent: served, rootDir, logger: silentLogger });
  onTestFinished(close);
  return close;
}

describe('a response', () => {
  it('has the pods, or one pod with its worker and its events', async () => {
    expect(await answerRequest(subject, { method: 'GET', url: '/v1/pods' }, signal)).toEqual({
      status: 200,
      body: { ...facts, pods: [view] },
      version: 'v1',
    });
    expect(await answerRequest(subject, { method: 'GET', url: '/v1/pods/default/web?x=1' }, signal)).toEqual({
      status: 200,
      body: { ...facts, ...view, worker, events },
    });
  });

  it('has no worker for a pod without one', async () => {
    const agent = { ...subject.agent, explain: () => undefined, events: () => [] };
    expect((await answerRequest({ ...subject, agent }, { method: 'GET', url: '/v1/pods/default/web' }, signal)).body).not.toHaveProperty(
      'worker',
    );
  });

  it('is about the desired pod, not a terminating one of the same name', async () => {
    const old = { ...view, pod: buildPod({ name: 'web', uid: 'old' }) };
    const agent = { ...subject.agent, pods: () => [view, old] };
    expect((await answerRequest({ ...subject, agent }, { method: 'GET', url: '/v1/pods/default/web' }, signal)).body).toMatchObject({
      pod,
      worker,
    });
  });

  it('returns the URL of an exec stream, or the error', async () => {
    const ask = (query: string) => answerRequest(subject, { method: 'POST', url: `/v1/pods/default/web/exec?${query}` }, signal);
    const { status, body } = await ask('container=main&command=ls&command=-l&stdout=1&tty=1&stdin=true');
    expect(status).toBe(200);
    expect(decodeURIComponent((body as { url: string }).url)).toBe(
      'http://127.0.0.1:1/ls+-l?{"stdin":false,"stdout":true,"stderr":false,"tty":true}',
    );
    expect(await ask('container=other&command=ls&stdout=1')).toEqual({
      status: 503,
      body: { error: { code: 'ContainerNotFound', message: 'container not found ("other")' } },
    });
  });

  it.each([
    ['GET', '/v1/pods/default/web/exec', 405, 'MethodNotAllowed'],
    ['POST', '/v1/pods/default/none/exec', 404, 'NotFound'],
    ['GET', '/', 404, 'NotFound'],
    ['GET', '/v2/pods', 404, 'NotFound'],
    ['GET', '/v1/pods/', 404, 'NotFound'],
    ['GET', '/v1/pods/default', 404, 'NotFound'],
    ['GET', '/v1/pods/default/none', 404, 'NotFound'],
    ['GET', '/v1/pods/default/web/log', 404, 'NotFound'],
    ['GET', '/v1/pods/%zz/web', 400, 'BadRequest'],
    ['DELETE', '/v1/pods/default/web', 405, 'MethodNotAllowed'],
  ])('%s %s is rejected with %i', async (method, url, status, code) => {
    expect(await answerRequest(subject, { method, url }, signal)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('the socket', () => {
  it('is private to the user, accepts requests, and is removed at the end', async () => {
    const close = await serve();
    expect(statSync(agentSocket(dir)).mode & 0o777).toBe(0o600);
    expect(await fetchPods(dir)).toEqual(JSON.parse(JSON.stringify({ ...facts, pods: [view] })));
    expect(await fetchPod(dir, 'default', 'web')).toMatchObject({ worker, events });
    await expect(fetchPod(dir, 'default', 'none')).rejects.toMatchObject({ code: 'NotFound', message: 'pods "default/none" not found' });
    await close();
    expect(existsSync(agentSocket(dir))).toBe(false);
  });

  it('sends the pods to a client that polls only when they have changed', async () => {
    let now = 1_000;
    let reads = 0;
    let pulls: PullInProgress[] = [];
    let rejected: RejectedManifest[] = [];
    const agent = {
      ...served,
      pulls: () => pulls,
      pods() {
        reads += 1;
        return [view];
      },
    };
    const clock = { now: () => now };
    onTestFinished(await serveLocalApi({ ...subject, agent, clock, rejected: () => rejected, rootDir: dir, logger: silentLogger }));
    const read = createPodsReader(dir, clock);
    const readsOf = async (change: () => void) => {
      const before = reads;
      change();
      const answer = await read();
      expect(answer).toMatchObject({ now, pods: [{ pod }] });
      return reads - before;
    };
    const wait = () => {
      now += 1_000;
    };
    const nothing = () => {};
    expect([await readsOf(nothing), await readsOf(wait)]).toEqual([1, 0]);
    for (const event of ['event', 'status', 'removed', 'runtime', 'cluster'])
      expect([await readsOf(() => emitter.emit(event)), await readsOf(nothing)]).toEqual([1, 0]);
    rejected = [{ file: 'a.yaml', code: 'NotAPod', message: 'no pod' }];
    expect([await readsOf(nothing), await readsOf(wait)]).toEqual([1, 0]);
    pulls = [{ image: 'a', podUid: 'b', state: 'waiting', since: now }];
    expect([await readsOf(nothing), await readsOf(wait)]).toEqual([1, 0]);
    // What changes without an event is at most ten seconds old.
    expect(
      await readsOf(() => {
        now += 10_000;
      }),
    ).toBe(1);
  });

  it('listens to the agent only while it is open', async () => {
    const close = await serve();
    expect(emitter.listenerCount('status')).toBe(1);
    await close();
    expect(emitter.eventNames()).toEqual([]);
  });

  it('works in a directory whose path is longer than a socket address', async () => {
    const deep = join(dir, 'x'.repeat(90), 'y'.repeat(90));
    mkdirSync(deep, { recursive: true });
    const close = await serve(deep);
    expect(statSync(agentSocket(deep)).mode & 0o777).toBe(0o600);
    expect(await fetchPods(deep)).toMatchObject({ node: 'n1' });
    await close();
    expect(existsSync(agentSocket(deep))).toBe(false);
  });

  it('replaces a stale socket', async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(join(dir, 'other.sock'), resolve));
    linkSync(join(dir, 'other.sock'), agentSocket(dir));
    await new Promise((resolve) => dead.close(resolve));
    await expect(fetchPods(dir)).rejects.toMatchObject({ code: 'AGENT_NOT_RUNNING' });
    await serve();
    expect(await fetchPods(dir)).toMatchObject({ node: 'n1' });
  });

  it('fails if another kind of file has its path', async () => {
    mkdirSync(agentSocket(dir));
    await expect(serveLocalApi({ ...subject, agent: served, rootDir: dir, logger: silentLogger })).rejects.toMatchObject({
      code: 'EISDIR',
    });
  });

  it('closes although a client is connected', async () => {
    const close = await serve();
    const client = createConnection(agentSocket(dir));
    client.on('error', () => {});
    const closed = new Promise((resolve) => client.once('close', resolve));
    await new Promise((resolve) => client.once('connect', resolve));
    client.write('GET /v1/pods HTT');
    await close();
    await closed;
  });
});

describe('without an agent', () => {
  it('names the socket, and how to start an agent', async () => {
    const missing = join(dir, 'none');
    await expect(fetchPods(missing)).rejects.toMatchObject({
      code: 'AGENT_NOT_RUNNING',
      message: `no agent answers on ${missing}/agent.sock`,
      hint: `start one with "nodeagent run --root-dir ${missing}", or set --root-dir to that of a running agent`,
    });
    await expect(fetchPods(join(missing, 'z'.repeat(200)))).rejects.toMatchObject({ code: 'AGENT_NOT_RUNNING' });
  });

  it.each([
    ['hangs up', 'end', 'AGENT_UNREACHABLE'],
    ['speaks something else', 'write', 'AGENT_UNREACHABLE'],
  ] as const)('reports an agent that %s', async (_name, action, code) => {
    const other = createServer((socket) => void socket.on('error', () => {})[action]('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno'));
    await new Promise<void>((resolve) => other.listen(agentSocket(dir), resolve));
    onTestFinished(() => void other.close());
    await expect(fetchPods(dir)).rejects.toMatchObject({ code, message: expect.stringContaining(agentSocket(dir)) });
  });
});
