import { type Container, type KubeObject, type Node, NodeAgentError, type ObjectMeta, type Pod, type PodSpec } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import type { MachineInfo } from '@nodeagent/node-status';
import { type ApiResponse, createTestApiServer, type TestApiServer, type TestApiServerOptions } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom, type VirtualClock } from '@nodeagent/testing';
import { type JoinClusterOptions, joinCluster } from './cluster/join-cluster.js';
import { createTestAgent, type TestAgent, type TestAgentOptions } from './test-agent.js';

/** For this package's tests: an agent that joined an API server in memory, in virtual time. */
export interface TestMember extends TestAgent {
  server: TestApiServer;
  /** The requests of all clients, such as `patch pods/status`; watches at their start. */
  requests: { at: number; call: string; name: string | undefined }[];
  calls(pattern: RegExp): number;
  pod(name: string): Pod | undefined;
  node(): Node | undefined;
  /** While unreachable, requests fail; the open watches end. */
  setUnreachable(isUnreachable: boolean): void;
  /** Stops the agent and returns the number of timers that it left. */
  end(): Promise<number>;
}

export interface TestMemberOptions {
  clock?: VirtualClock;
  server?: TestApiServer;
  serverOptions?: TestApiServerOptions;
  /** A function if the options depend on the clock. */
  agent?: TestAgentOptions | ((clock: VirtualClock) => TestAgentOptions);
  join?: Partial<JoinClusterOptions>;
  staticPods?: readonly Pod[];
  /** Called with each object of responses and watch events, which it may change. Default: unchanged. */
  onAnswer?: (object: KubeObject) => void;
  machine?: Partial<MachineInfo>;
}

const machine: MachineInfo = {
  cpus: 4,
  memoryBytes: 8n << 30n,
  swapBytes: 0n,
  hugePages: [],
  ephemeralStorageBytes: 100n << 30n,
  machineId: 'machine',
  systemUuid: 'system',
  bootId: 'boot',
  kernelVersion: '6.12.0',
  osImage: 'Linux',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

/** Creates an unstarted member. */
export async function createTestMember(options: TestMemberOptions = {}): Promise<TestMember> {
  const clock = options.clock ?? createVirtualClock();
  const server =
    options.server ??
    createTestApiServer({
      clock,
      random: seededRandom(7),
      scheduler: true,
      nodeRestriction: true,
      tokens: { node: { username: 'system:node:node', groups: ['system:nodes'] } },
      ...options.serverOptions,
    });
  const requests: TestMember['requests'] = [];
  let unreachable = false;
  const transport = createInProcessTransport({
    async handle(request) {
      requests.push({ at: clock.monotonic(), ...describeCall(request.method, request.url) });
      await clock.sleep(2, request.signal);
      if (unreachable) throw new NodeAgentError('ApiUnreachable', 'API server api.test:6443: connect ECONNREFUSED', { retryable: true });
      const answer = await server.handle({ ...request, headers: { ...request.headers } });
      return options.onAnswer ? changedAnswer(answer, options.onAnswer) : answer;
    },
  });
  const common = { cluster: { server: 'https://api.test:6443', identity: { token: 'node' } }, transport, clock, random: seededRandom(3) };
  const agent = createTestAgent(options.staticPods ?? [], {
    clock,
    cluster: await joinCluster({
      client: createKubeClient(common),
      heartbeats: createKubeClient({ ...common, qps: 0, timeouts: { requestMs: 10_000 } }),
      hostname: 'node',
      architecture: 'amd64',
      machine: { info: async () => ({ ...machine, ...options.machine }) },
      network: {
        interfaceAddresses: () => ['192.0.2.1'],
        lookup: async () => ['192.0.2.1'],
        defaultAddress: async () => '192.0.2.1',
      },
      ...options.join,
    }),
    ...(typeof options.agent === 'function' ? options.agent(clock) : options.agent),
  });
  return {
    ...agent,
    server,
    requests,
    calls: (pattern) => requests.filter(({ call }) => pattern.test(call)).length,
    pod: (name) => server.objects.get<Pod>('pods', name),
    node: () => server.objects.get<Node>('nodes', 'node'),
    setUnreachable(now) {
      unreachable = now;
      if (now) server.dropWatches('cut');
    },
    async end() {
      await agent.agent.stop();
      await clock.advance(10);
      await server.close();
      return clock.pending;
    },
  };
}

/** Changes each object of a response: the object itself, those of a list, or those of watch events. */
function changedAnswer(answer: ApiResponse, change: (object: KubeObject) => void): ApiResponse {
  const changed = (text: string) => {
    const value = JSON.parse(text) as KubeObject & { items?: KubeObject[]; object?: KubeObject };
    const kind = value.kind?.replace(/List$/, '') ?? '';
    for (const object of value.items ?? [value.object ?? value]) change(value.items ? Object.assign(object, { kind }) : object);
    return JSON.stringify(value);
  };
  const { body } = answer;
  if (typeof body === 'string') return { ...answer, body: changed(body) };
  const stream = async function* () {
    for await (const piece of body) for (const line of String(piece).split('\n').filter(Boolean)) yield `${changed(line)}\n`;
  };
  return { ...answer, body: stream() };
}

/** `PATCH /api/v1/namespaces/default/pods/web/status` is `patch pods/status` of `web`. */
function describeCall(method: string, url: string): { call: string; name: string | undefined } {
  const { pathname, searchParams } = new URL(url, 'http://x');
  const [, kind = '', name, subresource] =
    /^\/apis?(?:\/[\w.]+)?\/v1(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(pathname) ?? [];
  const verb = searchParams.get('watch') ? 'watch' : method === 'GET' && name === undefined ? 'list' : method.toLowerCase();
  return { call: `${verb} ${kind}${subresource ? `/${subresource}` : ''}`, name };
}

/** A started member whose node is Ready. */
export async function joined(options: TestMemberOptions = {}): Promise<TestMember> {
  const member = await createTestMember(options);
  await member.agent.start();
  await member.clock.until(() => conditionOf(member.node(), 'Ready') === 'True', 30_000);
  await member.clock.run(member.agent.ready);
  return member;
}

export const conditionOf = (node: Node | undefined, type: string) => node?.status?.conditions?.find((each) => each.type === type)?.status;

/** A pod as users write it, in the namespace `default`; `spec` may have a `container` with what its only container has. */
export const userPod = (
  name: string,
  { container, ...spec }: Partial<PodSpec> & { container?: Partial<Container> } = {},
  metadata: ObjectMeta = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx:1', ...container }], ...spec },
});

export const untilReady = ({ clock, pod }: TestMember, name: string, limitMs = 60_000) =>
  clock.until(() => isPodReady(pod(name) ?? {}), limitMs);

/** Running containers, by the names of their pods. */
export const running = ({ memory }: TestMember) =>
  memory
    .containers()
    .filter(({ state }) => state === 'running')
    .map(({ pod }) => pod);
