import type { Pod } from '@nodeagent/api';
import { buildPod, type PodInput } from '@nodeagent/testing';
import type { Action } from './actions.js';
import type { RunSeedOptions } from './run-seed.js';

/** A run that once failed, and what was wrong then. */
export interface Regression {
  what: string;
  run: RunSeedOptions;
}

/** What a seed came down to: its actions alone stay the same when others are drawn. */
function shortened(what: string, seed: number, actions: readonly Action[]): Regression {
  return { what, run: { seed, hours: 0.1, pods: 60, actions } };
}

/** As a client creates it: what the API server sets is not there yet. */
function created(input: PodInput): Pod {
  const { metadata, ...built } = buildPod({ nodeName: 'node-1', ...input });
  const { name, labels } = metadata ?? {};
  return { ...built, metadata: { namespace: 'default', ...(name && { name }), ...(labels && { labels }) } };
}

const check = { exec: { command: ['check'] }, periodSeconds: 5 };

/** Runs that found something; docs/reliability.md tells what. */
export const regressions: readonly Regression[] = [
  shortened('a pod that was deleted before its node heard of it, and would be refused there, goes', 8, [
    { afterMs: 17_064, do: 'fault', kind: 'memory-short', forMs: 14_513, seed: 674513201 },
    { afterMs: 110_655, do: 'fault', kind: 'api-silence', forMs: 41_776, seed: 2932023544 },
    { afterMs: 6_125, do: 'create', pod: created({ name: 'p528', terminationGracePeriodSeconds: 5 }) },
    { afterMs: 559, do: 'delete', name: 'p528' },
  ]),
  shortened('a container that has ended for good is not probed on and on while others of its pod run', 15, [
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
];
