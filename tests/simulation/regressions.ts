import type { Pod } from '@nodeagent/api';
import { buildPod, type PodInput } from '@nodeagent/testing';
import type { Action } from './actions.js';
import type { RunSeedOptions } from './run-seed.js';

/** A run that once failed, and the promise that it broke. */
export interface Regression {
  what: string;
  run: RunSeedOptions;
}

/** The shortened actions of a seed: a list stays the same when the seed draws other actions. */
function shortened(what: string, seed: number, actions: readonly Action[]): Regression {
  return { what, run: { seed, hours: 0.1, pods: 60, actions } };
}

/** As a client creates it: without the fields that the API server sets. */
function created(input: PodInput): Pod {
  const { metadata, ...built } = buildPod({ nodeName: 'node-1', ...input });
  const { name, labels } = metadata ?? {};
  return { ...built, metadata: { namespace: 'default', ...(name && { name }), ...(labels && { labels }) } };
}

const check = { exec: { command: ['check'] }, periodSeconds: 5 };

interface PlainPod {
  image: string;
  grace: number;
  volumes?: string[];
  restartPolicy?: string;
  /** The image of a second container. */
  second?: string;
}

function plainPod(name: string, { image, grace, volumes = [], restartPolicy = 'Always', second }: PlainPod): Pod {
  const volumeMounts = volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` }));
  return created({
    name,
    labels: { shape: volumes.length > 0 ? 'volumes' : 'service', id: name.slice(1) },
    restartPolicy,
    terminationGracePeriodSeconds: grace,
    ...(volumes.length > 0 && { volumes: volumes.map((volume) => ({ name: volume, emptyDir: {} })) }),
    containers: [
      { name: 'c0', image, ...(volumes.length > 0 && { volumeMounts }) },
      ...(second === undefined ? [] : [{ name: 'c1', image: second }]),
    ],
  });
}

/** Runs that found bugs; docs/reliability.md describes them. */
export const regressions: readonly Regression[] = [
  shortened('removes a pod that was deleted before its node received it and that the node would reject', 8, [
    { afterMs: 17_064, do: 'fault', kind: 'memory-short', forMs: 14_513, seed: 674513201 },
    { afterMs: 110_655, do: 'fault', kind: 'api-silence', forMs: 41_776, seed: 2932023544 },
    { afterMs: 6_125, do: 'create', pod: created({ name: 'p528', terminationGracePeriodSeconds: 5 }) },
    { afterMs: 559, do: 'delete', name: 'p528' },
  ]),
  shortened('does not probe a finally terminated container while others of its pod run', 15, [
    {
      afterMs: 0,
      do: 'create',
      pod: created({
        name: 'p1',
        restartPolicy: 'Never',
        labels: { shape: 'probes' },
        containers: [{ name: 'c0', livenessProbe: check }, { name: 'c1' }],
      }),
    },
    { afterMs: 3_000, do: 'fault', kind: 'container-killed', forMs: 1_000, seed: 1 },
  ]),
  shortened('does not run a container that a killed agent requested beside the next agent’s', 25, [
    { afterMs: 317_667, do: 'create', pod: plainPod('p322', { image: 'app:4', grace: 1 }) },
    { afterMs: 3_277, do: 'create', pod: plainPod('p326', { image: 'app:1', grace: 40, volumes: ['v0'] }) },
    { afterMs: 4_046, do: 'create', pod: plainPod('p331', { image: 'app:5', grace: 0, volumes: ['v0'], restartPolicy: 'OnFailure' }) },
    { afterMs: 8_910, do: 'fault', kind: 'cri-slow', forMs: 19_244, seed: 1355436611 },
    { afterMs: 1_635, do: 'delete', name: 'p331', graceSeconds: 60 },
    { afterMs: 14_499, do: 'fault', kind: 'agent-killed-in-a-mount', forMs: 15_800, seed: 3133472283 },
    { afterMs: 10_829, do: 'create', pod: plainPod('p368', { image: 'app:5', grace: 5, volumes: ['v0'] }) },
    { afterMs: 2_131, do: 'create', pod: plainPod('p371', { image: 'app:2', grace: 40, second: 'app:5' }) },
    { afterMs: 963, do: 'create', pod: plainPod('p372', { image: 'app:2', grace: 0, volumes: ['v0', 'v1'], restartPolicy: 'Never' }) },
  ]),
  shortened('terminates a running pod that a new agent rejects before it unmounts the pod’s volumes', 132, [
    { afterMs: 22_318, do: 'create', pod: plainPod('p14346', { image: 'app:4', grace: 40, volumes: ['v0'], restartPolicy: 'OnFailure' }) },
    { afterMs: 4_766, do: 'create', pod: plainPod('p14364', { image: 'app:4', grace: 5, volumes: ['v0', 'v1'], restartPolicy: 'Never' }) },
    { afterMs: 1_316, do: 'delete', name: 'p14346' },
    { afterMs: 1_072, do: 'fault', kind: 'memory-short', forMs: 36_875, seed: 1345301401 },
    { afterMs: 30_538, do: 'fault', kind: 'agent-restart', forMs: 6_332, seed: 2930478936 },
    { afterMs: 324, do: 'create', pod: plainPod('p14499', { image: 'app:3', grace: 5, volumes: ['v0', 'v1'] }) },
  ]),
  shortened('stops a container whose start completes after its pod is removed', 33, [
    { afterMs: 30_000, do: 'create', pod: plainPod('p137', { image: 'app:1', grace: 30, second: 'app:2' }) },
    { afterMs: 1_000, do: 'delete', name: 'p137', graceSeconds: 1 },
    { afterMs: 1_000, do: 'fault', kind: 'agent-restart', forMs: 10_000, seed: 1 },
    { afterMs: 1_700, do: 'delete', name: 'p137' },
  ]),
  shortened('stops a container whose start completes after its volumes are unmounted', 33, [
    { afterMs: 30_000, do: 'create', pod: plainPod('p137', { image: 'app:1', grace: 30, volumes: ['v0'], second: 'app:2' }) },
    { afterMs: 1_000, do: 'delete', name: 'p137', graceSeconds: 1 },
    { afterMs: 900, do: 'fault', kind: 'api-conflict', forMs: 10_000, seed: 1 },
    { afterMs: 100, do: 'fault', kind: 'agent-restart', forMs: 10_000, seed: 1 },
    { afterMs: 1_700, do: 'delete', name: 'p137' },
  ]),
];
