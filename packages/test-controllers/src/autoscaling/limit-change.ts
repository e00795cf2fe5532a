import type { HorizontalPodAutoscaler, ScalingRules } from './objects.js';

/** Without `behavior` and by default no smaller recommendation of this time is used: `--horizontal-pod-autoscaler-downscale-stabilization`. */
const stabilizationMs = 5 * 60_000;

/** Something that was at a time in milliseconds since 1970. */
interface Past {
  at: number;
  replicas: number;
}

/** What an autoscaler remembers from one decision to the next. */
export interface AutoscalerMemory {
  /** The replicas that the metrics asked for. */
  recommendations: readonly Past[];
  /** By how many replicas it scaled up and down; only with `behavior`. */
  scaledUp: readonly Past[];
  scaledDown: readonly Past[];
}

export interface ConditionText {
  type: string;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

export interface LimitedChange {
  replicas: number;
  conditions: [ConditionText, ConditionText];
  recommendations: Past[];
}

interface Change {
  from: number;
  to: number;
  now: number;
}

const within = ['DesiredWithinRange', 'the desired count is within the acceptable range'] as const;
const tooFast = (direction: 'Up' | 'Down') =>
  [
    `Scale${direction}Limit`,
    `the desired replica count is ${direction === 'Up' ? 'increasing' : 'decreasing'} faster than the maximum scale rate`,
  ] as const;
const tooMany = ['TooManyReplicas', 'the desired replica count is more than the maximum replica count'] as const;
const tooFew = ['TooFewReplicas', 'the desired replica count is less than the minimum replica count'] as const;
type Limit = readonly [reason: string, message: string];

/**
 * The change that the recommendations of the stabilization window, the policies and the bounds of an autoscaler allow: Kubernetes documentation,
 * "Horizontal Pod Autoscaling", "Configurable scaling behavior".
 */
export function limitChange(spec: HorizontalPodAutoscaler['spec'], memory: AutoscalerMemory, change: Change): LimitedChange {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const windows = spec.behavior && {
    up: (scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000,
    down: scaleDown?.stabilizationWindowSeconds === undefined ? stabilizationMs : scaleDown.stabilizationWindowSeconds * 1_000,
  };
  const stabilized = windows ? betweenRecent(memory, change, windows) : highestRecent(memory, change);
  const { replicas, limit } = windows
    ? byRules(spec, memory, { ...change, to: stabilized })
    : byBounds(spec, { from: change.from, to: stabilized });
  const up = windows && change.to >= change.from;
  const compared = up ? ['lower', 'lowest'] : ['higher', 'highest'];
  const ready: Limit =
    stabilized === change.to
      ? ['ReadyForNewScale', 'recommended size matches current size']
      : [
          `Scale${up ? 'Up' : 'Down'}Stabilized`,
          `recent recommendations were ${compared[0]} than current one, applying the ${compared[1]} recent recommendation`,
        ];
  const longest = Math.max(windows?.up ?? 0, windows?.down ?? stabilizationMs);
  return {
    replicas,
    conditions: [condition('AbleToScale', 'True', ready), condition('ScalingLimited', replicas === stabilized ? 'False' : 'True', limit)],
    recommendations: remember(memory.recommendations, { replicas: change.to, at: change.now }, change.now - longest),
  };
}

const condition = (type: string, status: 'True' | 'False', [reason, message]: Limit): ConditionText => ({ type, status, reason, message });

/** What is later than a time: with exact periods, what is as old as the window is over, as it is in a cluster where a sync takes time. */
const since = (past: readonly Past[], cutoff: number) => past.filter(({ at }) => at > cutoff);

/** Replaces the newest that is over; others that are over stay, and count for longer periods of the other direction. */
function remember(past: readonly Past[], next: Past, cutoff: number): Past[] {
  const over = past.findLastIndex(({ at }) => at < cutoff);
  return over < 0 ? [...past, next] : past.with(over, next);
}

const replicasOf = (past: readonly Past[]) => past.map(({ replicas }) => replicas);

function highestRecent({ recommendations }: AutoscalerMemory, { to, now }: Change): number {
  return Math.max(to, ...replicasOf(since(recommendations, now - stabilizationMs)));
}

/** The current size, moved between the lowest recommendation of one window and the highest one of the other. */
function betweenRecent({ recommendations }: AutoscalerMemory, { from, to, now }: Change, windows: { up: number; down: number }): number {
  const lowest = Math.min(to, ...replicasOf(since(recommendations, now - windows.up)));
  const highest = Math.max(to, ...replicasOf(since(recommendations, now - windows.down)));
  return Math.min(Math.max(from, lowest), highest);
}

interface Limited {
  replicas: number;
  limit: Limit;
}

/** Without `behavior`: at most twice as many, or 4. */
function byBounds({ minReplicas = 1, maxReplicas }: HorizontalPodAutoscaler['spec'], { from, to }: Omit<Change, 'now'>): Limited {
  const fastest = Math.max(2 * from, 4);
  const max = Math.min(maxReplicas, fastest);
  if (to < minReplicas) return { replicas: minReplicas, limit: tooFew };
  if (to > max) return { replicas: max, limit: maxReplicas > fastest ? tooFast('Up') : tooMany };
  return { replicas: to, limit: within };
}

function byRules(
  { minReplicas = 1, maxReplicas, behavior = {} }: HorizontalPodAutoscaler['spec'],
  memory: AutoscalerMemory,
  { from, to, now }: Change,
): Limited {
  if (to > from) {
    const fastest = Math.max(from, allowed(behavior.scaleUp, 1, memory, from, now));
    const max = Math.min(maxReplicas, fastest);
    if (to > max) return { replicas: max, limit: maxReplicas > fastest ? tooFast('Up') : tooMany };
  } else if (to < from) {
    const fastest = Math.min(from, allowed(behavior.scaleDown, -1, memory, from, now));
    const min = Math.max(minReplicas, fastest);
    if (to < min) return { replicas: min, limit: minReplicas < fastest ? tooFast('Down') : tooFew };
  }
  return { replicas: to, limit: within };
}

/** The replicas that the policies of a direction (1 up, -1 down) allow. */
function allowed(rules: ScalingRules = {}, direction: 1 | -1, memory: AutoscalerMemory, from: number, now: number): number {
  const { selectPolicy = 'Max', policies = [] } = rules;
  if (selectPolicy === 'Disabled') return from;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const changed = (past: readonly Past[]) => replicasOf(since(past, now - periodSeconds * 1_000)).reduce((sum, each) => sum + each, 0);
    const start = from - changed(memory.scaledUp) + changed(memory.scaledDown);
    if (type === 'Pods') return start + direction * value;
    const scaled = start * (1 + (direction * value) / 100);
    return direction > 0 ? Math.ceil(scaled) : Math.trunc(scaled);
  });
  // A policy that changes more gives a larger number when scaling up, and a smaller one when scaling down.
  return (selectPolicy === 'Min') === direction > 0 ? Math.min(...proposals) : Math.max(...proposals);
}

/** The memory after a change of the target. */
export function withScaling(
  memory: AutoscalerMemory,
  { behavior }: HorizontalPodAutoscaler['spec'],
  { from, to, now }: Change,
): AutoscalerMemory {
  if (!behavior) return memory;
  const [field, rules] = to > from ? (['scaledUp', behavior.scaleUp] as const) : (['scaledDown', behavior.scaleDown] as const);
  const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  return { ...memory, [field]: remember(memory[field], { replicas: Math.abs(to - from), at: now }, now - longest * 1_000) };
}
