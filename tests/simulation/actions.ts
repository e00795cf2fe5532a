import type { Pod, Random } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { between, exponential, pick, randomOf } from './chance.js';
import { type FaultKind, faultKinds } from './faults.js';
import { randomImage, randomPod, randomStaticPod } from './workload.js';

/** One action on the node. Plain data: a run is a list of actions, and any part of the list is a run too. */
export type Action = { afterMs: number } & (
  | { do: 'create'; pod: Pod }
  | { do: 'delete'; name: string; graceSeconds?: number }
  | { do: 'update'; name: string; image: string }
  | { do: 'resize'; name: string; cpu: string }
  | { do: 'gate'; name: string; isOpen: boolean }
  | { do: 'static'; name: string; pod: Pod | undefined }
  | { do: 'fault'; kind: string; forMs: number; seed: number }
);

/** The parameters of a run. */
export interface RunOptions {
  seed: number;
  /** Virtual time of the run, without the phase without faults at its end. */
  hours: number;
  /** Maximum number of pods at a time. */
  pods: number;
  /** Milliseconds between two actions, on average. Default: one of {@link meanGapsMs}, by the seed. */
  gapMs?: number | undefined;
  /** Mean milliseconds between two faults of one kind. Default {@link defaultFaultGapMs}. */
  faultGapMs?: number | undefined;
}

/** Mean time between two actions: in slow runs pods run long enough for long back-offs, in quick ones many are created and deleted at a time.
 */
const meanGapsMs = [250, 500, 1_000, 4_000] as const;

/** With 30 kinds a fault is injected every 36 s, and one is running about half of the time. */
const defaultFaultGapMs = 1_080_000;

/** An action at this time since the start of the run. */
interface Planned {
  atMs: number;
  doing: Doing;
}

/**
 * The actions of a seed, by time. The workload and each kind of fault have separate random streams: a new kind adds its faults to the run of a seed,
 * and changes none of its other actions.
 */
export function actionsOf(run: RunOptions, kinds: readonly Pick<FaultKind, 'name'>[] = faultKinds): Action[] {
  const planned = [...plannedWorkload(run), ...kinds.flatMap(({ name }) => plannedFaults(run, name))].sort((a, b) => a.atMs - b.atMs);
  return planned.map(({ atMs, doing }, i) => ({ afterMs: atMs - (planned[i - 1]?.atMs ?? 0), ...doing }));
}

function plannedWorkload({ seed, hours, pods, gapMs }: RunOptions): Planned[] {
  const random = seededRandom(seed);
  const ownGapMs = pick(random, meanGapsMs);
  const planned: Planned[] = [];
  const wanted = new Set<string>();
  for (const atMs of times(hours, () => between(random, 0, 2 * (gapMs ?? ownGapMs)))) {
    planned.push({ atMs, doing: nextChange(random, wanted, pods, planned.length) });
  }
  return planned;
}

function plannedFaults({ seed, hours, faultGapMs = defaultFaultGapMs }: RunOptions, kind: string): Planned[] {
  const random = randomOf(seed, 'fault', kind);
  const planned: Planned[] = [];
  for (const atMs of times(hours, () => exponential(random, faultGapMs))) {
    planned.push({ atMs, doing: { do: 'fault', kind, forMs: between(random, 1_000, 60_000), seed: Math.floor(random() * 2 ** 32) } });
  }
  return planned;
}

/** Times within a run, in milliseconds since its start. */
function* times(hours: number, nextGapMs: () => number): Generator<number> {
  const endMs = hours * 3_600_000;
  for (let atMs = nextGapMs(); atMs < endMs; atMs += nextGapMs()) yield atMs;
}

type Doing<A = Action> = A extends unknown ? Omit<A, 'afterMs'> : never;

function nextChange(random: Random, wanted: Set<string>, pods: number, id: number): Doing {
  const what = random();
  const some = [...wanted];
  if (what < 0.02) {
    const name = `static${between(random, 0, 2)}`;
    return { do: 'static', name, pod: random() < 0.6 ? randomStaticPod(random, name, id) : undefined };
  }
  if (what < 0.06 && some.length > 0) return { do: 'update', name: pick(random, some), image: randomImage(random) };
  if (what < 0.1 && some.length > 0) return { do: 'resize', name: pick(random, some), cpu: `${between(random, 1, 9) * 100}m` };
  if (what < 0.14 && some.length > 0) return { do: 'gate', name: pick(random, some), isOpen: random() < 0.8 };
  if (some.length < pods * random()) {
    const name = `p${id}`;
    wanted.add(name);
    return { do: 'create', pod: randomPod(random, name, id) };
  }
  const name = some.length > 0 ? pick(random, some) : 'none';
  wanted.delete(name);
  return { do: 'delete', name, ...(random() < 0.3 && { graceSeconds: pick(random, [0, 1, 5, 60]) }) };
}

/** `+3.2s create p17 (volumes)` */
export function describeAction(action: Action): string {
  const after = `+${(action.afterMs / 1000).toFixed(1)}s`;
  switch (action.do) {
    case 'create':
      return `${after} create ${action.pod.metadata?.name} (${describePodSpec(action.pod)})`;
    case 'delete':
      return `${after} delete ${action.name}${action.graceSeconds === undefined ? '' : ` with grace ${action.graceSeconds}s`}`;
    case 'update':
      return `${after} update ${action.name} to ${action.image}`;
    case 'resize':
      return `${after} resize ${action.name} to ${action.cpu}`;
    case 'gate':
      return `${after} ${action.isOpen ? 'open' : 'close'} the readiness gate of ${action.name}`;
    case 'static':
      return `${after} static pod ${action.name} ${action.pod ? `(${describePodSpec(action.pod)})` : 'deleted'}`;
    case 'fault':
      return `${after} fault ${action.kind} for ${(action.forMs / 1000).toFixed(1)}s (${action.seed})`;
  }
}

function describePodSpec({ metadata, spec }: Pod): string {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name).join(' ');
  const deadline = spec?.activeDeadlineSeconds ? `, deadline ${spec.activeDeadlineSeconds}s` : '';
  return `${metadata?.labels?.shape}: ${containers}, ${spec?.restartPolicy}, grace ${spec?.terminationGracePeriodSeconds}s${deadline}`;
}
