import { invalidOption } from '@nodeagent/api';

/** How long disturbances last, in milliseconds of virtual time. */
export const disturbanceTimes = {
  /** From a crash of the controller to its next start. */
  restart: 5_000,
  /** How long watches deliver nothing, and a restarted controller sees an old state. */
  lag: 30_000,
  /** How long a slow write is held, and a leader pauses while the next one works. */
  hold: 20_000,
  /** The default timeout of a webhook. */
  webhook: 10_000,
  /** By how much the wall clock jumps. */
  jump: 3_600_000,
} as const;

/** What can happen to a controller at one of its requests. */
export const disturbances = {
  crash: 'the controller crashes before it gets the answer, and starts again',
  'crash-stale': 'the controller crashes before it gets the answer; its informers then start with an older state',
  'lose-answer': 'the request is processed, but the connection breaks before the answer arrives',
  refuse: 'the API server answers 503',
  conflict: 'another client changes the object just before the request is processed',
  lag: 'from the request on, watches deliver nothing for a while',
  miss: 'from the request on, watches deliver nothing for a while and then expire: changes in between are not seen one by one',
  reorder: 'the next event of a resource arrives after the next one of another resource',
  slow: 'the request is held for a while, as by a slow webhook',
  'webhook-timeout': 'the write waits for a webhook that does not answer, and fails',
  'webhook-down': 'the write fails because a webhook cannot be called',
  'second-leader': 'the leader pauses in the request while another one starts; the request is processed later, then the old leader ends',
  'clock-forward': 'the wall clock jumps forward',
  'clock-back': 'the wall clock jumps back',
} as const;

export type DisturbanceKind = keyof typeof disturbances;

/** A disturbance at a request of the controller. */
export interface Disturbance {
  readonly kind: DisturbanceKind;
  /** The index of the request, from 1. */
  readonly at: number;
  /** For `lag`, `miss`, `crash-stale` and `reorder`: whose informers. Default: all; none for `reorder`. */
  readonly resource?: string;
}

/** Disturbances in one run, by ascending request. */
export type Schedule = readonly Disturbance[];

/** `crash@12+lag@14:pods`; `undisturbed` if there are none. */
export function scheduleText(schedule: Schedule): string {
  if (schedule.length === 0) return 'undisturbed';
  return schedule.map(({ kind, at, resource }) => `${kind}@${at}${resource === undefined ? '' : `:${resource}`}`).join('+');
}

/** Reads what {@link scheduleText} writes. Throws `InvalidOption`. */
export function parseSchedule(text: string): Schedule {
  if (text === 'undisturbed') return [];
  return text.split('+').map((part) => {
    const [, kind, at, resource] = /^([a-z-]+)@([1-9]\d*)(?::(.+))?$/.exec(part) ?? [];
    if (kind === undefined || !Object.hasOwn(disturbances, kind))
      throw invalidOption('schedule', 'disturbances such as "crash@12+lag@14:pods"', text);
    return { kind: kind as DisturbanceKind, at: Number(at), ...(resource !== undefined && { resource }) };
  });
}
