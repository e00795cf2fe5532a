/** What the agent's work on a pod depends on. */
export type Part = 'agent' | 'runtime' | 'network' | 'runtime events' | 'api' | 'volumes' | 'devices' | 'clock';

/** The parts that a kind of fault blocks, also for a while after its end: until calls time out and the agent retries. */
interface Effect {
  parts: readonly Part[];
  recoveryMs: number;
}

/** A time in which parts are blocked. */
export interface Blockage {
  parts: readonly Part[];
  fromMs: number;
  /** Infinity while its fault is in force. */
  toMs: number;
  /** The pods whose parts are blocked, by UID. Absent: all pods. */
  pods?: ReadonlySet<string>;
}

/** A new agent syncs all pods: it lists the runtime and the API server, and mounts volumes again. */
export const agentStart: Effect = { parts: ['agent'], recoveryMs: 30_000 };

/** A sync that failed runs again after 10 s to 15 s, and its calls are as slow. */
const runtimeErrors: Effect = { parts: ['runtime'], recoveryMs: 30_000 };
/** A call that hangs is abandoned after two minutes. */
const runtimeTimeouts: Effect = { parts: ['runtime'], recoveryMs: 150_000 };
/** Clients retry after at most 30 s, with jitter. */
const apiErrors: Effect = { parts: ['api'], recoveryMs: 60_000 };
/** Mounts are retried after at most 122 s. */
const volumeErrors: Effect = { parts: ['volumes'], recoveryMs: 150_000 };
const deviceErrors: Effect = { parts: ['devices'], recoveryMs: 60_000 };
const none: Effect = { parts: [], recoveryMs: 0 };

/** By kind of fault. */
const effects: Readonly<Record<string, Effect>> = {
  'cri-error': runtimeErrors,
  'cri-timeout': runtimeTimeouts,
  'cri-late': runtimeTimeouts,
  'cri-lost-answer': runtimeErrors,
  'cri-slow': { parts: ['runtime'], recoveryMs: 60_000 },
  'runtime-crash': runtimeErrors,
  'network-not-ready': { parts: ['network'], recoveryMs: 30_000 },
  // An agent that follows the runtime's events lists the containers every 5 min.
  'lost-events': { parts: ['runtime events'], recoveryMs: 300_000 },
  'machine-reboot': agentStart,
  'agent-killed-between-steps': agentStart,
  'agent-killed-in-a-call': agentStart,
  'agent-killed-in-a-request': agentStart,
  'agent-killed-in-a-mount': agentStart,
  'agent-killed-in-a-save': agentStart,
  'agent-restart': agentStart,
  // A pod waits for the save of what it gets, and the sync loop for the pod.
  'slow-checkpoints': { parts: ['agent'], recoveryMs: 60_000 },
  'api-outage': apiErrors,
  'api-silence': apiErrors,
  'api-error': apiErrors,
  'api-conflict': apiErrors,
  'api-watch-expired': apiErrors,
  'api-slow': apiErrors,
  'api-lost-answer': apiErrors,
  'disk-full': volumeErrors,
  'memory-short': none,
  'slow-volumes': volumeErrors,
  'device-plugin-down': deviceErrors,
  'device-plugin-slow': deviceErrors,
  'device-unhealthy': none,
  // The clock jumps back by at most a minute.
  'clock-jump': { parts: ['clock'], recoveryMs: 60_000 },
  'container-killed': none,
  'sandbox-killed': none,
};

/** The effect of a kind of fault on an agent that follows the runtime's events, or does not. Throws if the kind is unknown. */
export function effectOf(kind: string, isEvented: boolean): Effect {
  if (kind === 'lost-events' && !isEvented) return none;
  const effect = effects[kind];
  if (effect === undefined) throw new Error(`the parts that ${kind} blocks are not listed`);
  return effect;
}

/** What waits: a pod, or the node if the UID is absent, for these parts. */
export interface Waiting {
  parts: readonly Part[];
  uid?: string | undefined;
}

const blocks = ({ parts, pods }: Blockage, waiting: Waiting) =>
  parts.some((part) => waiting.parts.includes(part)) && (pods === undefined || waiting.uid === undefined || pods.has(waiting.uid));

/** Milliseconds between two times in which nothing blocked what waits. */
export function unblockedMs(blockages: readonly Blockage[], waiting: Waiting, fromMs: number, toMs: number): number {
  const relevant = blockages
    .filter((blockage) => blockage.toMs > fromMs && blockage.fromMs < toMs && blocks(blockage, waiting))
    .sort((a, b) => a.fromMs - b.fromMs);
  let sum = 0;
  let freeFromMs = fromMs;
  for (const blockage of relevant) {
    sum += Math.max(0, blockage.fromMs - freeFromMs);
    freeFromMs = Math.max(freeFromMs, blockage.toMs);
  }
  return sum + Math.max(0, toMs - freeFromMs);
}

/** The faults of a run that block parts, and their times. */
export class FaultTimes {
  readonly #blockages: Blockage[] = [];

  /** Records the beginning of a fault. Call the result at its end, and with whether the fault was hit: if not, it has blocked nothing. */
  begin({ parts, recoveryMs }: Effect, fromMs: number, pods?: ReadonlySet<string>): (endMs: number, isHit?: boolean) => void {
    const blockage: Blockage = { parts, fromMs, toMs: Number.POSITIVE_INFINITY, ...(pods && { pods }) };
    if (parts.length > 0) this.#blockages.push(blockage);
    return (endMs, isHit = true) => {
      blockage.toMs = isHit ? endMs + recoveryMs : fromMs;
    };
  }

  unblockedMs(waiting: Waiting, fromMs: number, toMs: number): number {
    return unblockedMs(this.#blockages, waiting, fromMs, toMs);
  }
}
