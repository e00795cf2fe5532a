import type { KubeObject, Pod } from '@nodeagent/api';
import { isObject, isPodReady } from '@nodeagent/api/helpers';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { createTestMember, userPod } from './test-member.js';

const requests = { cpu: '10m' };
const probe = { exec: { command: ['true'] }, periodSeconds: 5 };
const keys = { items: [{ key: 'a', path: 'a' }] };
const match = { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] };

/** A pod with a value in every list and map that the agent reads, as far as a node of this test runs it. */
const rich = userPod(
  'rich',
  {
    initContainers: [
      { name: 'first', image: 'nginx:1', env: [{ name: 'A', value: 'a' }], volumeMounts: [{ name: 'empty', mountPath: '/e' }] },
    ],
    container: {
      command: ['sh'],
      args: ['-c', 'true'],
      ports: [{ name: 'web', containerPort: 80 }],
      envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'password' } }],
      env: [
        { name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
        { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      resources: { requests, limits: { cpu: '20m' } },
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      volumeMounts: ['empty', 'settings', 'password', 'self', 'all'].map((name) => ({ name, mountPath: `/${name}` })),
      livenessProbe: probe,
      readinessProbe: probe,
      lifecycle: { postStart: { exec: { command: ['true'] } }, preStop: { exec: { command: ['true'] } } },
      securityContext: { capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
    },
    volumes: [
      { name: 'empty', emptyDir: { sizeLimit: '1Mi' } },
      { name: 'settings', configMap: { name: 'settings', ...keys } },
      { name: 'password', secret: { secretName: 'password', ...keys } },
      { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }] } },
      {
        name: 'all',
        projected: {
          sources: [
            { configMap: { name: 'settings', ...keys } },
            { secret: { name: 'password', items: [{ key: 'a', path: 'b' }] } },
            { serviceAccountToken: { path: 'token' } },
          ],
        },
      },
    ],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [match] } } },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    hostAliases: [{ ip: '192.0.2.9', hostnames: ['other'] }],
    dnsConfig: { nameservers: ['192.0.2.53'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
    securityContext: { supplementalGroups: [7], sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '1' }], fsGroup: 7 },
    imagePullSecrets: [{ name: 'password' }],
    runtimeClassName: 'plain',
    terminationGracePeriodSeconds: 1,
  },
  { labels: { app: 'rich' }, annotations: { note: 'rich' } },
);

const others: KubeObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' }, binaryData: { b: 'Yg==' } } as KubeObject,
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, data: { a: 'Yg==' } } as KubeObject,
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop' }, spec: { ports: [{ name: 'web', port: 80 }] } } as KubeObject,
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'plain' },
    handler: 'plain',
    overhead: { podFixed: requests },
    scheduling: { nodeSelector: { 'kubernetes.io/os': 'linux' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
  } as KubeObject,
];

/** A field of a kind, such as `Pod spec.containers[].env`. */
type Field = { kind: string; path: readonly string[] };

const nameOf = ({ kind, path }: Field) => `${kind} ${path.join('.')}`;

/** The fields that the table omits: the structures of every object, which Go never writes as null. */
const isSkipped = (field: Field) => /^\w+ (metadata|spec|status|involvedObject)$/.test(nameOf(field));

/** Every list and every map and object in an object from the API server, by its path. */
function addFields(fields: Map<string, Field>, kind: string, value: unknown, path: readonly string[] = []): void {
  if (Array.isArray(value)) for (const each of value) addFields(fields, kind, each, [...path.slice(0, -1), `${path.at(-1)}[]`]);
  if (!isObject(value)) return;
  for (const [name, child] of Object.entries(value)) {
    const field = { kind, path: [...path, name] };
    if (typeof child !== 'object' || child === null || name === 'managedFields') continue;
    if (!isSkipped(field)) fields.set(nameOf(field), field);
    addFields(fields, kind, child, field.path);
  }
}

/** Sets a field to null wherever it is. */
function setNull(value: unknown, [name = '', ...rest]: readonly string[]): void {
  if (!isObject(value)) return;
  const field = name.replace('[]', '');
  if (rest.length > 0) for (const each of [value[field]].flat()) setNull(each, rest);
  else if (field in value) value[field] = null;
}

/** Errors of an agent that does not expect a value. */
const typeErrors = /TypeError|Cannot (read|convert|destructure)|is not (iterable|a function)|of (null|undefined)/;

/** Runs a node from its start to the removal of its pods: the plain pod, which must be unaffected, and the given ones. */
async function runNode(pods: readonly Pod[], onAnswer: (object: KubeObject) => void) {
  const member = await createTestMember({
    onAnswer,
    agent: (clock) => ({ memory: createMemoryRuntime({ clock, images: 'any', runtimeHandlers: [{ name: 'plain' }] }) }),
  });
  const { server, clock, agent, logger, memory } = member;
  memory.script('first', { exit: { afterMs: 500 } });
  for (const object of others) server.objects.create(object);
  await agent.start();
  await clock.advance(3_000);
  const names = [...pods, userPod('plain')].map((pod) => server.objects.create(pod).metadata?.name ?? '');
  await clock.advance(15_000);
  const ready = names.filter((name) => isPodReady(member.pod(name) ?? {}));
  for (const name of names) server.objects.delete('pods', name);
  await clock.advance(10_000);
  const left = names.filter((name) => member.pod(name));
  const errors = [...logger.lines, ...member.eventLines()].map((line) => JSON.stringify(line)).filter((line) => typeErrors.test(line));
  return { ready, left, errors, running: await member.end() };
}

/** The table: every list, map and object that this agent reads, found by recording the responses. */
const fields = new Map<string, Field>();
const reference = await runNode([rich], (object) => addFields(fields, object.kind ?? '', object));
const podFields = [...fields.values()].filter(({ kind }) => kind === 'Pod');
const otherFields = [...fields.values()].filter(({ kind }) => kind !== 'Pod');

/** A pod with null in one of these fields does not become ready, but must not affect other pods. */
const podNeeds = [
  'spec.containers[].readinessProbe.exec',
  'spec.containers[].lifecycle.postStart.exec',
  ...['', '[].emptyDir', '[].configMap', '[].secret', '[].downwardAPI', '[].projected'].map((source) => `spec.volumes${source}`),
  ...['', '[].matchExpressions', '[].matchExpressions[].values'].map(
    (part) => `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms${part}`,
  ),
];

/** Which pods become ready where not all do, by the field that is null. */
const readyWithout: Readonly<Record<string, string[]>> = {
  'ConfigMap data': ['plain'],
  'Secret data': ['plain'],
  'Node metadata.labels': ['plain'],
  'Node status.allocatable': [],
};

it('an agent reads all kinds of the table', () => {
  expect(reference).toEqual({ ready: ['rich', 'plain'], left: [], errors: [], running: 0 });
  const kinds = new Set([...fields.values()].map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    ...['ConfigMap', 'Event', 'Lease', 'Node', 'Pod', 'RuntimeClass', 'Secret', 'Service', 'Status', 'TokenRequest'],
  ]);
});

it('an agent handles a null list or map of a pod: one pod for each', async () => {
  const pods = podFields.map((_, index) => ({ ...rich, metadata: { ...rich.metadata, name: `rich-${index}` } }));
  const { ready, ...rest } = await runNode(pods, (object) => {
    const field = podFields[Number(/^rich-(\d+)$/.exec(object.metadata?.name ?? '')?.[1])];
    if (field && object.kind === 'Pod') setNull(object, field.path);
  });
  expect(rest).toEqual({ left: [], errors: [], running: 0 });
  const needed = podFields.filter((_, index) => !ready.includes(`rich-${index}`));
  expect(needed.map(({ path }) => path.join('.')).sort()).toEqual(podNeeds.sort());
  expect(ready).toContain('plain');
});

it.each(otherFields.map((field) => [nameOf(field), field] as const))('an agent handles null in %s', async (name, { kind, path }) => {
  const outcome = await runNode([rich], (object) => {
    if (object.kind === kind) setNull(object, path);
  });
  expect(outcome).toEqual({ ready: readyWithout[name] ?? ['rich', 'plain'], left: [], errors: [], running: 0 });
});
