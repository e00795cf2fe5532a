import { readFileSync } from 'node:fs';
import type { PodCondition } from '@nodeagent/api';
import type { AuditEvent } from '@nodeagent/test-api-server';

/** The way of a pod from its creation in the API server to its Ready condition there, in milliseconds. */
export interface PodTrace {
  'until RunPodSandbox': number;
  RunPodSandbox: number;
  'until CreateContainer': number;
  CreateContainer: number;
  'until StartContainer': number;
  StartContainer: number;
  'until the patch with Ready': number;
  /** All steps that begin with "until": those of the agent, with its short calls of the runtime. */
  'sum of the agent': number;
  'sum of the runtime': number;
  all: number;
}

/** A call in containerd's log, in milliseconds since 1970. */
interface Call {
  begin: number;
  end: number;
}

/** The calls for one pod. */
type PodCalls = Record<'RunPodSandbox' | 'CreateContainer' | 'StartContainer', Call>;

/** The steps of a pod with one container, created at `created` in milliseconds since 1970. Throws if one is missing. */
export function tracePod(name: string, created: number, calls: PodCalls, audit: readonly AuditEvent[]): PodTrace {
  const { RunPodSandbox, CreateContainer, StartContainer } = calls;
  const patch = audit.find((event) => event.objectRef.name === name && event.objectRef.resource === 'pods' && setsReady(event));
  if (patch === undefined) throw new Error(`no patch makes pod ${name} Ready`);
  const agent = [
    RunPodSandbox.begin - created,
    CreateContainer.begin - RunPodSandbox.end,
    StartContainer.begin - CreateContainer.end,
    Date.parse(patch.requestReceivedTimestamp) - StartContainer.end,
  ] as const;
  const runtime = [RunPodSandbox, CreateContainer, StartContainer].map(({ begin, end }) => end - begin) as [number, number, number];
  const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0);
  return {
    'until RunPodSandbox': agent[0],
    RunPodSandbox: runtime[0],
    'until CreateContainer': agent[1],
    CreateContainer: runtime[1],
    'until StartContainer': agent[2],
    StartContainer: runtime[2],
    'until the patch with Ready': agent[3],
    'sum of the agent': sum(agent),
    'sum of the runtime': sum(runtime),
    all: sum([...agent, ...runtime]),
  };
}

function setsReady({ requestObject }: AuditEvent): boolean {
  const { status } = (requestObject ?? {}) as { status?: { conditions?: PodCondition[] } };
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** The calls for the pods of one container, by name of the pod, from the file that containerd logs to. */
export function readContainerdLog(file: string): Map<string, PodCalls> {
  const pods = new Map<string, PodCalls>();
  const open = new Map<string, Partial<Record<keyof PodCalls, Call>>>();
  const owners = new Map<string, string>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, time = '', text = ''] = /^time="([^"]+)" level=info msg="(.*)"$/.exec(line) ?? [];
    const [, method, subject = ''] = /^(RunPodSandbox|CreateContainer|StartContainer) (?:for|within sandbox) (.*)$/.exec(text) ?? [];
    if (method === undefined) continue;
    const at = milliseconds(time);
    const id = /[0-9a-f]{64}/.exec(subject)?.[0] ?? '';
    const name = method === 'RunPodSandbox' ? (/Name:([^,]+),/.exec(subject)?.[1] ?? '') : (owners.get(id) ?? '');
    const calls = open.get(name) ?? {};
    open.set(name, calls);
    const isEnd = / returns /.test(subject);
    calls[method as keyof PodCalls] = isEnd
      ? { begin: calls[method as keyof PodCalls]?.begin ?? Number.NaN, end: at }
      : { begin: at, end: Number.NaN };
    if (!isEnd) continue;
    const result = / returns (?:sandbox|container) id \\"([0-9a-f]{64})/.exec(subject)?.[1];
    if (result !== undefined) owners.set(result, name);
    if (method === 'StartContainer') pods.set(name, calls as PodCalls);
  }
  return pods;
}

/** Milliseconds since 1970 of an RFC 3339 time, with its nanoseconds as fractions. */
function milliseconds(time: string): number {
  const [, seconds = '', fraction = '0'] = /^(.*?)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1_000;
}
