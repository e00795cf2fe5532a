import { type Disturbance, type DisturbanceKind, disturbanceTimes } from './disturbance.js';
import { isWrite } from './operation.js';
import type { Run } from './run.js';
import type { Delivery } from './watch-gate.js';

const [everyRequest, everyWrite, everyChange] = [
  ['refuse'],
  ['crash', 'lose-answer', 'slow', 'webhook-timeout', 'webhook-down', 'second-leader', 'clock-forward', 'clock-back'],
  ['conflict'],
] as const satisfies readonly (readonly DisturbanceKind[])[];

const changes = ['update', 'patch', 'delete'];

/**
 * The disturbances that can make a difference at each request of a run. Left out is what repeats an earlier one or changes nothing: a crash at a read
 * when nothing changed and no time passed since the last crash, an old state for a controller whose lists require the newest one, a lag or another
 * order of watches without an event then.
 */
export function disturbancesAt({ operations, deliveries }: Pick<Run, 'operations' | 'deliveries'>): Disturbance[] {
  const found: Disturbance[] = [];
  const staleLists = operations.some(({ anyVersion }) => anyVersion);
  const watched = new Set<string>();
  const seen = new Set<string>();
  const events = eventsBy(deliveries);
  /** Adds a disturbance, unless it had the same effect at an earlier request. */
  const addOnce = (disturbance: Disturbance, effect: string) => {
    const { kind, resource } = disturbance;
    const key = `${kind} ${resource} ${effect}`;
    if (!seen.has(key)) found.push(disturbance);
    seen.add(key);
  };
  for (const operation of operations) {
    const { index: at, verb, resource, revision } = operation;
    const add = (kinds: readonly DisturbanceKind[]) => found.push(...kinds.map((kind) => ({ kind, at })));
    if (verb === 'watch') watched.add(resource);
    else add(everyRequest);
    if (!isWrite(operation)) {
      addOnce({ kind: 'crash', at }, `${revision} ${operation.at}`);
      continue;
    }
    add(everyWrite);
    if (changes.includes(verb)) add(everyChange);
    for (const whose of [undefined, ...(watched.size > 1 ? watched : [])]) {
      const place = whose === undefined ? { at } : { at, resource: whose };
      if (staleLists) found.push({ kind: 'crash-stale', ...place });
      const nextEvent = events(whose).findIndex(({ after }) => after >= at);
      const next = events(whose)[nextEvent];
      if (next === undefined) continue;
      if (whose !== undefined) addOnce({ kind: 'reorder', ...place }, String(nextEvent));
      if (next.at > operation.at + disturbanceTimes.lag) continue;
      for (const kind of ['lag', 'miss'] as const) addOnce({ kind, ...place }, `${nextEvent} ${operation.at}`);
    }
  }
  return found;
}

/** The events of a resource, or all. */
function eventsBy(deliveries: readonly Delivery[]): (resource: string | undefined) => readonly Delivery[] {
  const byResource = new Map<string | undefined, Delivery[]>([[undefined, [...deliveries]]]);
  for (const delivery of deliveries) {
    const events = byResource.get(delivery.resource);
    if (events) events.push(delivery);
    else byResource.set(delivery.resource, [delivery]);
  }
  return (resource) => byResource.get(resource) ?? [];
}
