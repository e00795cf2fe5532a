import type { Node, Pod } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { scheduleOnce } from '@nodeagent/test-controllers/decisions';
import { createVirtualClock } from '@nodeagent/testing';

const pendingPods = 10_000;
const nodeCount = 100;

function newNode(index: number): Node {
  const name = `node-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${index % 3}` } },
    status: {
      allocatable: { cpu: '64', memory: '256Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

function newPod(index: number, spec: Partial<Pod['spec']> = {}): Pod {
  const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '100m', memory: '128Mi' } } }];
  const metadata = { name: `pod-${index}`, namespace: 'default', labels: { app: `app-${index % 100}` } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
}

/** Requirements of pods to other pods, which cost the most. */
const kinds: Record<string, (index: number) => Partial<Pod['spec']>> = {
  plain: () => ({}),
  'spread over zones': (index) => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: `app-${index % 100}` } },
      },
    ],
  }),
  'anti-affinity': (index) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: `app-${index % 100}` } } },
        ],
      },
    },
  }),
};

/** The decisions of the scheduler alone, then with the API server that stores the pods and their bindings. */
export async function benchScheduler(report: (line: string) => void): Promise<void> {
  const nodes = Array.from({ length: nodeCount }, (_, index) => newNode(index));
  for (const [kind, specOf] of Object.entries(kinds)) {
    const count = kind === 'plain' ? pendingPods : pendingPods / 10;
    const pods = Array.from({ length: count }, (_, index) => newPod(index, specOf(index)));
    const cpu = cpuMeter();
    const { bindings } = scheduleOnce({ pods, nodes, boundPods: [] });
    report(`scheduler ${bindings.length} pods (${kind}) on ${nodeCount} nodes, decisions, CPU: ${cpu()} s`);
  }
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, scheduler: true });
  const creation = cpuMeter();
  for (const node of nodes) server.objects.create(node);
  for (let index = 0; index < pendingPods; index++) server.objects.create(newPod(index));
  await clock.advance(60_000);
  const bound = server.objects.read<Pod>('pods').filter(({ spec }) => spec?.nodeName).length;
  report(`scheduler ${bound} pods on ${nodeCount} nodes, with the API server, CPU: ${creation()} s`);
  await server.close();
}

/** Seconds of CPU since its call. */
function cpuMeter(): () => string {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / 1e6).toFixed(2);
  };
}
