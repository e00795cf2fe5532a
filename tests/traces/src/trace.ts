import type { Json } from './canonical.js';

/** A call with an effect, its request in canonical form. */
export interface TraceCall {
  call: string;
  request: Json;
  fails?: true;
}

/** Numbers of writes to the API server. */
export interface ApiWrites {
  /** Patches of the pod's status. */
  status: number;
  /** Events, new ones and updates of their count. */
  events: number;
}

/** The compared actions of a node agent in a scenario. */
export interface Trace {
  /** Each call once, in order of its first occurrence. */
  calls: TraceCall[];
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

/** Creates a trace of all observations: repeated calls, events and statuses count once. */
export function makeTrace(seen: Trace): Trace {
  const calls = new Map(stopsInOrder(seen.calls).map((call) => [callLine(call), call]));
  return {
    calls: [...calls.values()],
    events: [...new Set(seen.events)].sort(),
    status: seen.status.filter((line, index) => line !== seen.status[index - 1]),
    writes: seen.writes,
  };
}

/** The excess writes, such as `status 4 instead of 3`. */
export function excessWrites(allowed: ApiWrites, written: ApiWrites): string[] {
  return (['status', 'events'] as const)
    .filter((kind) => written[kind] > allowed[kind])
    .map((kind) => `${kind} ${written[kind]} instead of ${allowed[kind]}`);
}

/** A pod's containers stop concurrently: consecutive stop calls have no order. */
function stopsInOrder(calls: readonly TraceCall[]): TraceCall[] {
  const ordered: TraceCall[] = [];
  let stops: TraceCall[] = [];
  const flush = () => {
    ordered.push(...stops.sort((a, b) => (callLine(a) < callLine(b) ? -1 : 1)));
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

function callLine({ call, request, fails }: TraceCall): string {
  return `${call} ${JSON.stringify(request)}${fails ? ' fails' : ''}`;
}

/** A trace as the text of a reference file: JSON with one line per call, event and status, for readable diffs. */
export function formatTrace(trace: Trace): string {
  const lists = aspects.map((aspect) => `"${aspect}": [\n${trace[aspect].map((item) => JSON.stringify(item)).join(',\n')}\n]`);
  return `{\n${lists.join(',\n')},\n"writes": ${JSON.stringify(trace.writes)}\n}\n`;
}
