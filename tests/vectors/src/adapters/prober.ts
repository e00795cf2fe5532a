import { NodeAgentError, type Pod, type PodStatus, type Probe, type ProbeResult, silentLogger } from '@nodeagent/api';
import type { HttpProbeRequest, ProbeAttempt } from '@nodeagent/prober';
import {
  buildHttpProbeRequest,
  createResultStore,
  execProbe,
  formatUrl,
  httpProbe,
  initialProbeState,
  type ProbeType,
  parseUrl,
  requestTarget,
  startProbeWorker,
} from '@nodeagent/prober/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';

const noSignal = new AbortController().signal;

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
  const { result, output, error } = await execProbe([exec.command ?? 'check'], run, durationMs(exec.timeout ?? '1s'), noSignal);
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
  const { result, output, error } = await httpProbe(first, exchange, noSignal);
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

/** Longer than any case: only the recording triggers ticks. */
const never = Number.MAX_SAFE_INTEGER;

/** A probe worker whose ticks the recording triggers. */
async function runWorker({ probeType, pod, containerName, kubeletStart, ticks }: RecordedWorker) {
  const clock = createVirtualClock({ start: Date.parse(kubeletStart) });
  const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(({ name }) => name === containerName);
  if (container === undefined) throw new Error(`no container ${containerName}`);
  const probe = { Liveness: container.livenessProbe, Readiness: container.readinessProbe, Startup: container.startupProbe }[
    probeType
  ] as Probe;
  const updates: unknown[] = [];
  const events: string[] = [];
  const store = createResultStore(probeType, ({ containerId, result }) => {
    updates.push({ containerID: containerId, result: resultText(result) });
  });
  let status: PodStatus | undefined;
  let raw: ProbeAttempt[] = [];
  let attempts = 0;
  /** The result when the worker stopped, before it removes it. */
  let last: { result: ProbeResult | undefined } | undefined;
  const start = () =>
    startProbeWorker({
      subject: { type: probeType, pod, container, probe, proberStartedAt: Date.parse(kubeletStart) },
      state: initialProbeState,
      delayMs: 0,
      periodMs: never,
      status: () => status,
      attempt: async () => raw[Math.min(attempts++, raw.length - 1)] ?? { result: 'unknown', output: '' },
      publish: (result) => void store.publish('uid', result),
      onVerdict: ({ event }) => void (event && events.push(`Warning ${event.reason} ${event.message}`)),
      onMissed() {},
      onOver(containerId) {
        last = { result: store.get(containerId) };
      },
      onEnd() {},
      limiter: { run: (action) => action() },
      clock,
      logger: silentLogger,
    });

  let worker: ReturnType<typeof start> | undefined;
  const output: unknown[] = [];
  for (const tick of ticks) {
    if (tick.status) status = tick.status.known === false ? undefined : tick.status;
    raw = (tick.raw ?? []).map((attempt) => ({ result: 'unknown', output: '', ...attempt }));
    attempts = 0;
    await clock.advance(tick.t * 1000 - clock.monotonic());
    if (worker === undefined) worker = start();
    else worker.trigger();
    await clock.settle();
    const { containerId, onHold, resultRun } = worker.state;
    const { result } = last ?? { result: store.get(containerId) };
    output.push({
      keepGoing: last === undefined,
      attempts,
      result: resultText(result),
      updates: updates.splice(0),
      events: events.splice(0),
      onHold,
      resultRun,
    });
    if (last) break;
  }
  worker?.stop();
  return { ticks: output };
}

export const proberAdapters: Adapter[] = [
  defineAdapter('exec-probe', runExec),
  defineAdapter('http-probe-request', buildRequest),
  defineAdapter('http-probe-response', runHttp),
  defineAdapter('probe-worker', runWorker),
];
