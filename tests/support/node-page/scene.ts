import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createNodeAgent, memoryHost, type NodeAgent, type PodView } from '@nodeagent/core';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createNodePage, type NodePage } from '@nodeagent/node-page';
import type { ProbeNetwork } from '@nodeagent/prober';
import { buildPod, createManualSource, createVirtualClock, type ManualSource, seededRandom, type VirtualClock } from '@nodeagent/testing';
import { serve } from './serve.js';
import { serveShell } from './shell.js';
import { createSceneStats, type PodUsage } from './summary.js';

/** A simulated node whose page is served over HTTP. It runs in virtual time, so every run of a scene shows the same. */
export interface Scene {
  origin: string;
  clock: VirtualClock;
  agent: NodeAgent;
  source: ManualSource;
  page: NodePage;
  /** Whether the viewer may open terminals. Initially true. */
  exec: boolean;
  /** The device plugins and DRA drivers of the node. Initially none. */
  devices?: ReturnType<NodeAgent['devicePlugins']>;
  dynamicResources?: ReturnType<NodeAgent['dynamicResources']>;
  close(): Promise<void>;
}

/** The pod as one that refers to its claims by their names. */
function withClaims(view: PodView, resources: Scene['dynamicResources']): PodView {
  const claims = (resources?.claims ?? []).filter(({ podUIDs }) => podUIDs.includes(podUid(view.pod)));
  if (view.pod.spec === undefined || claims.length === 0) return view;
  const resourceClaims = claims.map(({ claimName }) => ({ name: claimName, resourceClaimName: claimName }));
  return { ...view, pod: { ...view.pod, spec: { ...view.pod.spec, resourceClaims } } };
}

const mib = 2 ** 20;
const missingImage = 'registry.example.com/shop/recommendations-engine:2026.05.3';

const usages: Record<string, PodUsage> = {
  checkout: { nanoCores: 0.21e9, memoryBytes: 412 * mib },
  search: { nanoCores: 0.62e9, memoryBytes: 1_480 * mib },
  'payments-worker-with-a-long-name': { nanoCores: 0.03e9, memoryBytes: 96 * mib },
  'log-shipper': { nanoCores: 0.02e9, memoryBytes: 58 * mib },
};

/** Pods in the states that a node of a small shop has. */
export const shopPods: readonly Pod[] = [
  pod('checkout', {
    initContainers: [{ name: 'migrate', image: 'shop/migrate:4' }],
    containers: [
      {
        name: 'server',
        image: 'shop/checkout:4.2.1',
        env: [{ name: 'DATABASE_PASSWORD', value: 'correct horse battery staple' }],
        ports: [{ containerPort: 8080 }],
        resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
        readinessProbe: { httpGet: { port: 8080, path: '/ready' }, periodSeconds: 5 },
        livenessProbe: { tcpSocket: { port: 8080 } },
        volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
      },
    ],
    volumes: [{ name: 'cache', emptyDir: { sizeLimit: '256Mi' } }],
  }),
  pod('search', { containers: [{ name: 'index', image: 'shop/search:9', resources: { requests: { memory: '1Gi' } } }] }),
  pod('cart', { containers: [{ name: 'crash', image: 'shop/cart:3' }] }),
  pod('recommendations', { containers: [{ name: 'model', image: missingImage }] }),
  pod('payments-worker-with-a-long-name', {
    containers: [{ name: 'settlement', image: 'shop/payments:7', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 } }],
  }),
  pod('import-2026-06', { restartPolicy: 'Never', containers: [{ name: 'job', image: 'shop/import:1' }] }),
  pod('log-shipper', { namespace: 'kube-system', containers: [{ name: 'ship', image: 'logs/ship:2' }] }),
  pod('metrics', { namespace: 'kube-system', containers: [{ name: 'exporter', image: 'metrics/exporter:5' }] }),
];

const presentImages = shopPods
  .flatMap(({ spec }) => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])])
  .map(({ image = '' }) => image)
  .filter((image) => image !== missingImage);

/** HTTP is answered on port 8080 only. */
const probeNetwork: ProbeNetwork = {
  async http({ url: { host } }) {
    if (!host.endsWith(':8080')) throw new Error(`dial tcp ${host}: connect: connection refused`);
    return { status: 200, readBody: async () => new Uint8Array(), close: () => {} };
  },
  tcp: async () => ({ result: 'success', output: '' }),
  grpc: async () => ({ result: 'success', output: '' }),
};

function pod(name: string, spec: Omit<Parameters<typeof buildPod>[0], 'name'>): Pod {
  return buildPod({ name, namespace: 'shop', ...spec });
}

function behave({ script, scriptImage }: MemoryRuntime): void {
  script('migrate', { exit: { afterMs: 2_000, code: 0 } });
  script('crash', { exit: { afterMs: 4_000, code: 3 }, logs: ['cart listens on 8080', 'panic: no route to the session store'] });
  script('job', { exit: { afterMs: 20_000, code: 0 } });
  script('settlement', { serves: false });
  scriptImage(missingImage, {
    pullError: `failed to pull and unpack image "${missingImage}": failed to resolve reference "${missingImage}": ${missingImage}: not found`,
  });
}

/** Who may read logs and open terminals; or only the former. */
const viewerOf = (exec: boolean) => ({
  isAllowed: async (_method: string, path: string) => path.startsWith('/containerLogs/') || (exec && path.startsWith('/exec/')),
});

/** The last lines of a container, as the server of an agent sends them; the previous instance has none. */
function sendLogs({ containers, logs }: MemoryRuntime, { url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://node');
  const [, , , podName, name] = pathname.split('/');
  const last = containers().findLast((each) => each.name === name && each.pod === podName);
  const lines = last === undefined || searchParams.has('previous') ? [] : logs(last.id);
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end(lines.map((line) => `${line}\n`).join(''));
}

/** Starts a node with these pods and serves its page. */
export async function openScene(pods: readonly Pod[] = shopPods): Promise<Scene> {
  const clock = createVirtualClock({ start: Date.UTC(2026, 5, 1, 9, 30) });
  const memory = createMemoryRuntime({ clock, images: presentImages });
  behave(memory);
  const source = createManualSource(pods, { name: 'api' });
  const agent = createNodeAgent({
    nodeName: 'edge-1',
    rootDir: '/var/lib/nodeagent',
    sources: [source],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    random: seededRandom(47),
    host: { ...memoryHost(), probeNetwork, imageFsStats: async () => ({ capacityBytes: 100n << 30n, availableBytes: 17n << 30n }) },
    parts: {
      stats: () =>
        createSceneStats(
          clock,
          () => pods,
          (name) => usages[name] ?? { nanoCores: 4e6, memoryBytes: 12 * mib },
        ),
    },
  });
  const facts = { nodeName: 'edge-1', version: 'nodeagent 0.1.0', runtime: 'containerd 2.1.4', cluster: 'https://10.0.0.1:6443' };
  const shown = {
    ...agent,
    pods: () => agent.pods().map((view) => withClaims(view, scene.dynamicResources)),
    devicePlugins: () => scene.devices,
    dynamicResources: () => scene.dynamicResources,
  };
  const page = createNodePage({ agent: shown, ...facts, addresses: ['10.0.0.21'], clock });
  const server = await serve(
    (request, response) => {
      if (!request.url?.startsWith('/containerLogs/')) return page.handle(request, response, viewerOf(scene.exec));
      sendLogs(memory, request, response);
    },
    (request, socket, head) => void serveShell(request, socket, head),
  );
  void agent.start();
  const scene: Scene = {
    exec: true,
    origin: server.origin,
    clock,
    agent,
    source,
    page,
    async close() {
      page.stop();
      server.close();
      await clock.run(agent.stop());
    },
  };
  return scene;
}
