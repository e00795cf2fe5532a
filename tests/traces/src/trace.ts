import type { Json } from './canonical.js';

/** A call with an effect, its request in canonical form. */
export interface TraceCall {
  call: string;
  request: Json;
  fails?: true;
  /** How often the call was made. Default 1. */
  times?: number;
}

/** A call as it was observed. */
export interface SeenCall extends Omit<TraceCall, 'times'> {
  /** Its start, in milliseconds of any clock. */
  at: number;
  /** Cancelled, or a command in a container that terminated meanwhile. */
  cutShort?: true;
}

/** Numbers of writes to the API server. */
export interface ApiWrites {
  /** Patches of the pod's status. */
  status: number;
  /** Events, new ones and updates of their count. */
  events: number;
}

/** What became of the created containers. */
export interface Removals {
  /** Removed before their sandbox was stopped: earlier instances of a container. */
  early: string[];
  /** Removed afterwards, with their pod. */
  late: string[];
  /** Not removed when the recording ended. */
  kept: string[];
}

/** What a node agent did in a scenario. */
export interface Seen extends Pick<Trace, 'events' | 'status' | 'writes'> {
  calls: readonly SeenCall[];
}

/** The compared actions of a node agent in a scenario. */
export interface Trace {
  /** Each call once, in order of its first occurrence. */
  calls: TraceCall[];
  removals: Removals;
  /** Number of calls that were cut short, without commands after the first stop of a container; none of them is in `calls`. */
  cutShort: number;
  /** `<type> <reason> <field path>: <message>`, each once, sorted. */
  events: string[];
  /** The steps of the pod's status, one line for each step that differs from the previous one. */
  status: string[];
  /** An agent may not write more often than a kubelet. */
  writes: ApiWrites;
}

/** The compared aspects, in the order of the report. */
export const aspects = ['calls', 'events', 'status'] as const;
export type Aspect = (typeof aspects)[number];

/** One aspect of a trace as lines. */
export function linesOf(trace: Trace, aspect: Aspect): string[] {
  return aspect === 'calls' ? trace.calls.map(callLine) : trace[aspect];
}

/** Without the commands of probes that ran while a container stopped: how many these are depends on how fast the machine is. */
function countCutShort(calls: readonly SeenCall[]): number {
  const stoppedAt = calls.find(({ call }) => call === 'stopContainer')?.at ?? Number.POSITIVE_INFINITY;
  return calls.filter(({ call, cutShort, at }) => cutShort && (call !== 'execSync' || at < stoppedAt)).length;
}

/** Creates a trace of all observations: repeated calls are counted, repeated events and statuses are in it once. */
export function makeTrace({ calls: all, events, status, writes }: Seen): Trace {
  const whole = all.filter(({ cutShort }) => !cutShort);
  const calls = new Map<string, TraceCall>();
  for (const { call, request, fails } of stopsInOrder(whole.filter(({ call }) => call !== 'removeContainer'))) {
    const made: TraceCall = { call, request, ...(fails && { fails }) };
    const line = callLine(made);
    const times = (calls.get(line)?.times ?? (calls.has(line) ? 1 : 0)) + 1;
    calls.set(line, times === 1 ? made : { ...made, times });
  }
  return {
    calls: [...calls.values()],
    removals: removalsIn(whole),
    cutShort: countCutShort(all),
    events: [...new Set(events)].sort(),
    status: status.filter((line, index) => line !== status[index - 1]),
    writes,
  };
}

function removalsIn(calls: readonly SeenCall[]): Removals {
  const sandboxes = new Map<string, string>();
  const stopped = new Set<string>();
  const early = new Set<string>();
  const late = new Set<string>();
  for (const { call, request } of calls.filter(({ fails }) => !fails)) {
    const { podSandboxId = '', containerId = '' } = request as { podSandboxId?: string; containerId?: string };
    if (call === 'createContainer') sandboxes.set(`<container${sandboxes.size + 1}>`, podSandboxId);
    if (call === 'stopPodSandbox') stopped.add(podSandboxId);
    if (call === 'removeContainer') (stopped.has(sandboxes.get(containerId) ?? '') ? late : early).add(containerId);
  }
  const kept = [...sandboxes.keys()].filter((id) => !early.has(id) && !late.has(id));
  return { early: [...early].sort(), late: [...late].sort(), kept };
}

/**
 * Differences of removals. A kubelet's recording ends with its pod, so that only its removals are known, not what it kept. The agent
 * keeps what the kubelet keeps until the sandbox stops, removes what the kubelet removed, and leaves no container of a deleted pod.
 */
export function removalProblems(expected: Removals, found: Removals): string[] {
  const removed = new Set([...expected.early, ...expected.late]);
  return [
    ...found.early.filter((id) => !removed.has(id)).map((id) => `${id} is removed before its sandbox stops`),
    ...found.kept.map((id) => `${id} is left`),
  ];
}

/** How often a call may be made that a kubelet made so many times: the length of a scenario differs between runs. */
const boundsOf = (times: number) => ({ min: Math.floor(times / 2), max: 2 * times });

/** The calls that were repeated much more or less often than expected, such as `execSync {...} 40 times instead of 16`. */
export function repeatProblems(expected: readonly TraceCall[], found: readonly TraceCall[]): string[] {
  const allowed = new Map(expected.map((call) => [callLine(call), call.times ?? 1]));
  return found.flatMap((call) => {
    const { times = 1 } = call;
    const usual = allowed.get(callLine(call)) ?? times;
    const { min, max } = boundsOf(usual);
    return times < min || times > max ? [`${callLine(call)} ${times} times instead of ${usual}`] : [];
  });
}

/** The excess writes, such as `status 4 instead of 3`. */
export function excessWrites(allowed: ApiWrites, written: ApiWrites): string[] {
  return (['status', 'events'] as const)
    .filter((kind) => written[kind] > allowed[kind])
    .map((kind) => `${kind} ${written[kind]} instead of ${allowed[kind]}`);
}

/** A pod's containers stop concurrently: consecutive stop calls have no order. */
function stopsInOrder(calls: readonly SeenCall[]): SeenCall[] {
  const ordered: SeenCall[] = [];
  let stops: SeenCall[] = [];
  const flush = () => {
    ordered.push(...withWholeGrace(stops).sort((a, b) => (callLine(a) < callLine(b) ? -1 : 1)));
    stops = [];
  };
  for (const call of calls) {
    if (call.call === 'stopContainer') stops.push(call);
    else {
      flush();
      ordered.push(call);
    }
  }
  flush();
  return ordered;
}

/** Largest error of the times of two calls, in seconds. */
const clockError = 0.15;

/**
 * Containers that stop one after the other share a grace period, so that a later one gets what remains of it. Its timeout is replaced by the
 * first one's if it is exactly what remains.
 */
function withWholeGrace(stops: readonly SeenCall[]): SeenCall[] {
  const [first] = stops;
  return stops.map((stop) => {
    if (first === undefined || stop === first) return stop;
    const used = timeoutOf(first) - timeoutOf(stop);
    const seconds = (stop.at - first.at) / 1000;
    const isRemainder = used >= Math.trunc(seconds - clockError) && used <= Math.trunc(seconds + clockError);
    return isRemainder ? { ...stop, request: { ...(stop.request as object), timeout: String(timeoutOf(first)) } } : stop;
  });
}

const timeoutOf = ({ request }: SeenCall) => Number((request as { timeout?: string }).timeout ?? 0);

function callLine({ call, request, fails }: Omit<TraceCall, 'times'>): string {
  return `${call} ${JSON.stringify(request)}${fails ? ' fails' : ''}`;
}

/** A trace as the text of a reference file: JSON with one line per call, event and status, for readable diffs. */
export function formatTrace(trace: Trace): string {
  const lists = aspects.map((aspect) => `"${aspect}": [\n${trace[aspect].map((item) => JSON.stringify(item)).join(',\n')}\n]`);
  const rest = (['removals', 'cutShort', 'writes'] as const).map((key) => `"${key}": ${JSON.stringify(trace[key])}`);
  return `{\n${[...lists, ...rest].join(',\n')}\n}\n`;
}
