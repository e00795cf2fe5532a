import type { Pod, PodStatus, Probe, ProbeResult } from '@nodeagent/api';
import { NodeAgentError } from '@nodeagent/api';
import type { HttpProbeRequest, ProbeAttempt } from '@nodeagent/prober';
import {
  buildHttpProbeRequest,
  execProbe,
  formatUrl,
  httpProbe,
  initialProbeState,
  nextProbeState,
  type ProbeSubject,
  type ProbeType,
  parseUrl,
  probeVerdict,
  repeatOnError,
  requestTarget,
} from '@nodeagent/prober/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

const never = new AbortController().signal;

interface RecordedExec {
  exec: {
    kind: 'ok' | 'exitError' | 'deadlineExceeded' | 'otherError';
    code?: number;
    command?: string;
    timeout?: string;
    message?: string;
  };
  pattern: string;
  stdoutPlusStderrLength: number;
}

async function runExec({ exec, pattern, stdoutPlusStderrLength: length }: RecordedExec) {
  const written = pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
  const half = Math.floor(length / 2);
  const run = async () => {
    if (exec.kind === 'deadlineExceeded') throw new NodeAgentError('CRI_DEADLINE_EXCEEDED', 'late');
    if (exec.kind === 'otherError') throw new Error(exec.message);
    return { exitCode: exec.code ?? 0, stdout: written.slice(0, half), stderr: written.slice(half) };
  };
  const { result, output, error } = await execProbe([exec.command ?? 'check'], run, durationMs(exec.timeout ?? '1s'), never);
  return { result, outputLength: output.length, ...(output.length < 100 && { output }), ...(error !== undefined && { error }) };
}

/** Milliseconds of a duration such as `1m30s`. */
function durationMs(text: string): number {
  const [, minutes = 0, seconds = 0] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}

interface RecordedRequest {
  httpGet: Parameters<typeof buildHttpProbeRequest>[0]['action'];
  ports?: { name?: string; containerPort: number }[];
  podIP: string;
  userAgentFragment: string;
}

function buildRequest({ httpGet, ports, podIP, userAgentFragment }: RecordedRequest) {
  try {
    const userAgent = `kube-${userAgentFragment}/<major>.<minor>`;
    const { url, host, headers } = buildHttpProbeRequest({ action: httpGet, host: podIP, ports, userAgent });
    return { url: formatUrl(url), connectTo: url.host, requestTarget: requestTarget(url), host, headers };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

interface RecordedResponses {
  url: string;
  responses: { status?: number; location?: string; body?: string; bodyRepeatX?: number; bodyError?: string; error?: string }[];
}

async function runHttp({ url, responses }: RecordedResponses) {
  const requests: string[] = [];
  const parsed = parseUrl(url);
  const first: HttpProbeRequest = { url: parsed, host: parsed.host, headers: {} };
  const exchange = async ({ url }: HttpProbeRequest) => {
    const response = responses[Math.min(requests.length, responses.length - 1)];
    requests.push(formatUrl(url));
    if (response?.error !== undefined) throw new Error(response.error);
    const body = Buffer.from(response?.body ?? 'x'.repeat(response?.bodyRepeatX ?? 0));
    return {
      status: response?.status ?? 0,
      location: response?.location,
      async readBody(limit: number) {
        if (response?.bodyError !== undefined && body.length < limit) throw new Error(response.bodyError);
        return body.subarray(0, limit);
      },
      close() {},
    };
  };
  const { result, output, error } = await httpProbe(first, exchange, never);
  return {
    result,
    requests,
    ...(output.length > 300 ? { outputLength: output.length, outputPrefix: output.slice(0, 60) } : { output }),
    ...(error !== undefined && { error }),
  };
}

interface RecordedWorker {
  probeType: ProbeType;
  pod: Pod;
  containerName: string;
  kubeletStart: string;
  ticks: {
    t: number;
    status?: PodStatus & { known?: boolean };
    raw?: { result?: ProbeAttempt['result']; output?: string; error?: string }[];
  }[];
}

const resultText = (result: ProbeResult | undefined) => (result === 'Unknown' ? 'UNKNOWN' : (result ?? null));

/** Drives the state machine and the retries as a worker does, tick by tick. */
async function runWorker({ probeType, pod, containerName, kubeletStart, ticks }: RecordedWorker) {
  const proberStartedAt = Date.parse(kubeletStart);
  const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(({ name }) => name === containerName);
  if (container === undefined) throw new Error(`no container ${containerName}`);
  const probe = { Liveness: container.livenessProbe, Readiness: container.readinessProbe, Startup: container.startupProbe }[
    probeType
  ] as Probe;
  const subject: ProbeSubject = { type: probeType, pod, container, probe, proberStartedAt };
  const results = new Map<string, ProbeResult>();
  let state = initialProbeState;
  let status: PodStatus | undefined;
  const output: unknown[] = [];
  for (const tick of ticks) {
    if (tick.status) status = tick.status.known === false ? undefined : tick.status;
    const updates: unknown[] = [];
    const events: string[] = [];
    let attempts = 0;
    const take = (event: Parameters<typeof nextProbeState>[2]) => {
      const step = nextProbeState(subject, state, event);
      state = step.state;
      for (const { containerId, result } of step.publish) {
        if (result === undefined) results.delete(containerId);
        else if (results.get(containerId) !== result) {
          results.set(containerId, result);
          updates.push({ containerID: containerId, result: resultText(result) });
        }
      }
      return step.next;
    };
    const next = take({ kind: 'tick', status, now: proberStartedAt + tick.t * 1000 });
    if (next === 'probe') {
      const raw = tick.raw ?? [];
      const outcome = await repeatOnError(async () => {
        const { result = 'unknown', output = '', error } = raw[Math.min(attempts++, raw.length - 1)] ?? {};
        return { result, output, ...(error !== undefined && { error }) };
      });
      const { result, event } = probeVerdict(probeType, outcome);
      if (event) events.push(`Warning ${event.reason} ${event.message}`);
      take({ kind: 'result', result });
    }
    output.push({
      keepGoing: next !== 'stop',
      attempts,
      result: resultText(results.get(state.containerId)),
      updates,
      ...(events.length > 0 && { events }),
      onHold: state.onHold,
      resultRun: state.resultRun,
    });
    if (next === 'stop') break;
  }
  return { ticks: output };
}

export const proberAdapters: Adapter[] = [
  defineAdapter('exec-probe', runExec),
  defineAdapter('http-probe-request', buildRequest),
  defineAdapter('http-probe-response', runHttp),
  defineAdapter('probe-worker', runWorker),
];
