/** Which of the reasons explains the pod. */
export type PodState =
  | 'gated'
  | 'unscheduled'
  | 'scheduled'
  | 'rejected'
  | 'initializing'
  | 'creating'
  | 'imagePull'
  | 'cannotStart'
  | 'crashLoop'
  | 'starting'
  | 'notReady'
  | 'readinessGate'
  | 'resizing'
  | 'running'
  | 'terminating'
  | 'deleted'
  | 'nodeLost'
  | 'evicted'
  | 'preempted'
  | 'deadlineExceeded'
  | 'failed'
  | 'succeeded';

/** Why a pod is in its state. Times are milliseconds since 1970. */
export interface PodStateExplanation {
  /** One sentence for people, which ends with a period. */
  sentence: string;
  state: PodState;
  /** `ok`, `busy` on the way to it, `warning` and `error` need attention, `done` has ended well. */
  severity: 'ok' | 'busy' | 'warning' | 'error' | 'done';
  /** The container that decides. Absent if the pod as a whole does. */
  container?: string;
  /** The word of Kubernetes: the reason in the status or event, such as `CrashLoopBackOff`; else the phase. */
  reason: string;
  /** The next step of the node, and when if it is known. */
  next?: { what: NextStep; at?: number };
  /** The numbers and names of the sentence. */
  facts: Readonly<Record<string, Fact>>;
}

/** A step that a component of the cluster takes next. */
export type NextStep = 'restart' | 'pull' | 'retry' | 'kill' | 'schedule' | 'start' | 'probe' | 'replace' | 'remove';

export type Fact = string | number | boolean | readonly string[];

/** An explanation before its sentence is completed: without the subject and the period. */
export interface Draft extends Omit<PodStateExplanation, 'sentence' | 'facts' | 'reason' | 'next'> {
  text: string;
  reason: string | undefined;
  next?: NextStep;
  at?: number | undefined;
  facts?: Readonly<Record<string, Fact | undefined>>;
}

/** The explanation with its sentence, on one line, and without absent facts. */
export function finish({ text, reason, next, at, facts = {}, ...draft }: Draft, phase: string): PodStateExplanation {
  return {
    ...draft,
    sentence: `${text.replaceAll(/\s+/g, ' ').replace(/[ .]+$/, '')}.`,
    reason: reason || phase,
    ...(next && { next: { what: next, ...(at !== undefined && { at }) } }),
    facts: Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, Fact] => entry[1] !== undefined)),
  };
}
