import type { PodStatus } from '@nodeagent/api';
import type { RecordedCriCall } from '@nodeagent/cri-client';
import type { AuditEvent } from '@nodeagent/test-api-server';
import { anonymous, idsOf } from './anonymous.js';
import { canonicalRequest, statusLine, tracedCalls } from './canonical.js';
import { makeTrace, type Seen, type Trace } from './trace.js';

/** All calls of an agent to its runtime and writes to its API server. */
export interface Recording {
  calls: readonly RecordedCriCall[];
  audit: readonly AuditEvent[];
}

/** The part of a recording that concerns the pods of a namespace. */
export function recordingOf({ calls, audit }: Recording, namespace: string): Recording {
  const mine = new Set([`"${namespace}"`]);
  const inOrder = [...calls].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return {
    calls: inOrder.filter(({ request, response }) => {
      const text = JSON.stringify(request);
      if (![...mine].some((id) => text.includes(id))) return false;
      const { podSandboxId, containerId } = (response ?? {}) as { podSandboxId?: string; containerId?: string };
      for (const id of [podSandboxId, containerId]) if (id !== undefined) mine.add(`"${id}"`);
      return true;
    }),
    audit: audit.filter(({ objectRef, user }) => objectRef.namespace === namespace && user.username.startsWith('system:node:')),
  };
}

/** The trace of one scenario's recording; `replaced` are texts and their placeholders in a reference. */
export function recordedTrace({ calls, audit }: Recording, replaced: readonly (readonly [text: string, by: string])[]): Trace {
  const named = calls.map((call) => ({ ...call, method: call.method.charAt(0).toLowerCase() + call.method.slice(1) }));
  const statuses = audit.filter(({ objectRef }) => objectRef.resource === 'pods' && objectRef.subresource === 'status');
  const short = named.filter((call) => wasCutShort(call, named));
  const isByChance = ({ requestObject }: AuditEvent) => {
    const { message = '' } = (requestObject ?? {}) as EventBody;
    return endedMeanwhile.test(message) || short.some(({ error }) => error !== undefined && message.endsWith(error.message));
  };
  const events = audit.filter((entry) => entry.objectRef.resource === 'events' && !isByChance(entry));
  const seen: Seen = {
    calls: named
      .filter(({ method }) => tracedCalls.has(method))
      .map((call) => ({
        call: call.method,
        request: canonicalRequest(withReadableVariables(call.request)) ?? {},
        at: Date.parse(call.at),
        ...(call.error && { fails: true as const }),
        ...(short.includes(call) && { cutShort: true as const }),
      })),
    events: events.flatMap(({ requestObject }) => eventLine(requestObject as EventBody)),
    status: statuses.flatMap(({ responseObject }) => {
      const { status } = (responseObject ?? {}) as { status?: PodStatus };
      return status?.phase === undefined ? [] : [statusLine(status)];
    }),
    writes: { status: statuses.length, events: events.length },
  };
  return makeTrace(anonymous(seen, idsOf(named), replaced));
}

/** A command in a container that terminates: as containerd's service reports it, then as its shim does in the states that follow. */
const endedMeanwhile = /is in CONTAINER_EXITED state|cannot exec in a (stopped|deleted) state|container not created: not found/;

/** Whether a probe ran while its container terminated: a race, for a kubelet too. Runtimes have many errors for a command whose container is being stopped. */
function wasCutShort({ method, request, error, at, milliseconds }: RecordedCriCall, calls: readonly RecordedCriCall[]): boolean {
  if (error === undefined) return false;
  if (error.code === 'CRI_CANCELLED' || endedMeanwhile.test(error.message)) return true;
  const container = containerOf(request);
  const stop = calls.find((call) => call.method === 'stopContainer' && containerOf(call.request) === container);
  return method === 'execSync' && stop !== undefined && Date.parse(at) + milliseconds >= Date.parse(stop.at);
}

const containerOf = (request: unknown) => (request as { containerId?: string }).containerId;

/** Values of environment variables are bytes on the wire, so a recording has them in base64. */
function withReadableVariables(request: unknown): unknown {
  const { config } = request as { config?: { envs?: { value: string }[] } };
  if (config?.envs === undefined) return request;
  const envs = config.envs.map((variable) => ({ ...variable, value: Buffer.from(variable.value, 'base64').toString() }));
  return { ...(request as object), config: { ...config, envs } };
}

interface EventBody {
  type?: string;
  reason?: string;
  message?: string;
  involvedObject?: { fieldPath?: string };
}

/** An update of an earlier event's count has no reason. */
function eventLine({ type, reason, message, involvedObject }: EventBody): string[] {
  return reason === undefined ? [] : [`${type} ${reason} ${involvedObject?.fieldPath ?? ''}: ${message}`];
}

/** A trace without values that depend on a machine's size: its CPUs, its memory and the sizes of its huge pages. */
export function withoutMachine(trace: Trace): Trace {
  const text = JSON.stringify(trace)
    .replace(/"hugepageLimits":\[[^\]]*\]/g, '"hugepageLimits":"<of the machine>"')
    .replace(/used: \d+, capacity: \d+/g, 'used: <n>, capacity: <n>')
    .replace(/"oomScoreAdj":"(\d+)"/g, (whole, score: string) => (isBurstable(Number(score)) ? '"oomScoreAdj":"<burstable>"' : whole));
  return JSON.parse(text) as Trace;
}

/** The score of a burstable pod depends on its share of the machine's memory: Kubernetes documentation, "Node-pressure Eviction". */
const isBurstable = (score: number) => score > 2 && score < 1000;
