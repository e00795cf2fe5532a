import type { Json } from './canonical.js';

/** A call that changes something, its request in canonical form. */
export interface TraceCall {
  call: string;
  request: Json;
  fails?: true;
}

/** How often something was written to the API server. */
export interface ApiWrites {
  /** Patches of the pod's status. */
  status: number;
  /** Events, new ones and those that count up. */
  events: number;
}

/** What a node agent did in a scenario, as far as it is compared. */
export interface Trace {
  /** Each call once, in order of its first time. */
  calls: TraceCall[];
  /** `<type> <reason> <field path>: <message>`, each once, sorted. */
  events: string[];
  /** The course of the pod's status, one line a step that differs from the one before. */
  status: string[];
  /** Nobody may write more often than a kubelet. */
  writes: ApiWrites;
}

/** What is compared, in the order in which it is reported. */
export const aspects = ['calls', 'events', 'status'] as const;
export type Aspect = (typeof aspects)[number];

/** One aspect of a trace as lines. */
export function linesOf(trace: Trace, aspect: Aspect): string[] {
  return aspect === 'calls' ? trace.calls.map(callLine) : trace[aspect];
}

/** Makes a trace of everything that was seen: repeated calls and events count once, and so does a status that stays. */
export function makeTrace(seen: Trace): Trace {
  const calls = new Map(stopsInOrder(seen.calls).map((call) => [callLine(call), call]));
  return {
    calls: [...calls.values()],
    events: [...new Set(seen.events)].sort(),
    status: seen.status.filter((line, index) => line !== seen.status[index - 1]),
    writes: seen.writes,
  };
}

/** What was written more often than it may be, such as `status 4 instead of 3`. */
export function excessWrites(allowed: ApiWrites, written: ApiWrites): string[] {
  return (['status', 'events'] as const)
    .filter((kind) => written[kind] > allowed[kind])
    .map((kind) => `${kind} ${written[kind]} instead of ${allowed[kind]}`);
}

/** Containers of a pod are stopped at the same time: stop calls that follow each other have no order among themselves. */
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

/** A trace as the text of a reference file: JSON with one line a call, event and status, so that changes of it can be read. */
export function formatTrace(trace: Trace): string {
  const lists = aspects.map((aspect) => `"${aspect}": [\n${trace[aspect].map((item) => JSON.stringify(item)).join(',\n')}\n]`);
  return `{\n${lists.join(',\n')},\n"writes": ${JSON.stringify(trace.writes)}\n}\n`;
}
