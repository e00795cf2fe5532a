import { apiStatusError, type Event, NodeAgentError, type ObjectKey, type ObjectReference } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createEventRecorder, type EventRecorderOptions } from './event-recorder.js';

const pod: ObjectReference = { apiVersion: 'v1', kind: 'Pod', namespace: 'prod', name: 'web', uid: 'u1' };
const away = () => new NodeAgentError('ApiUnreachable', 'the API server does not answer', { retryable: true });
const refusal = (code: number, reason: string, cause?: string) =>
  apiStatusError({ code, reason, message: reason, ...(cause && { causes: [{ reason: cause }] }) });

/** An API server that stores events; `fault` may fail a call before it has an effect. */
function createServer(clock: { monotonic(): number }) {
  const calls: { at: number; verb: 'create' | 'patch'; name: string }[] = [];
  const stored = new Map<string, Event>();
  const server = {
    calls,
    stored,
    fault: undefined as ((verb: 'create' | 'patch', call: number) => unknown) | undefined,
    answer: undefined as Promise<void> | undefined,
    async create(event: Event, { signal }: { signal?: AbortSignal } = {}) {
      await server.enter('create', event.metadata.name, signal);
      expect(event.metadata.resourceVersion).toBeUndefined();
      const { namespace, name = '' } = event.metadata;
      if (stored.has(name)) throw refusal(409, 'AlreadyExists');
      const made = { ...event, metadata: { namespace, name, resourceVersion: String(calls.length) } };
      stored.set(name, made);
      return made;
    },
    async patch({ name }: ObjectKey, patch: unknown, { signal }: { signal?: AbortSignal } = {}) {
      await server.enter('patch', name, signal);
      const event = stored.get(name);
      if (event === undefined) throw refusal(404, 'NotFound');
      const made = { ...event, ...(patch as Partial<Event>) };
      stored.set(name, made);
      return made;
    },
    async enter(verb: 'create' | 'patch', name: string | undefined, signal: AbortSignal | undefined) {
      calls.push({ at: clock.monotonic(), verb, name: name ?? '' });
      const fault = server.fault?.(verb, calls.length);
      if (fault) throw fault;
      if (server.answer === undefined) return;
      await Promise.race([
        server.answer,
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
      ]);
    },
  };
  return server;
}

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = createVirtualClock();
  const server = createServer(clock);
  const logger = createRecordingLogger();
  const dropped: Record<string, number> = {};
  const inc = ({ reason = '' }: { reason?: string } = {}) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };
  const metrics = { counter: () => ({ inc }), gauge: () => ({ set() {} }), histogram: () => ({ observe() {} }) };
  const recorder = createEventRecorder({ events: server, nodeName: 'n1', clock, random: seededRandom(1), logger, metrics, ...options });
  return { clock, server, logger, dropped, recorder };
}

describe('event recorder', () => {
  it('writes an event with all fields of a kubelet event', async () => {
    const { clock, server, recorder } = setUp();
    await recorder.start();
    recorder.event({ ...pod, fieldPath: 'spec.containers{app}' }, 'Normal', 'Started', 'Container started');
    await clock.settle();
    const name = `web.${(BigInt(clock.now()) * 1_000_000n).toString(16)}`;
    expect([...server.stored.values()]).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'prod', name, resourceVersion: '1' },
        involvedObject: { ...pod, fieldPath: 'spec.containers{app}' },
        reason: 'Started',
        message: 'Container started',
        source: { component: 'kubelet', host: 'n1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        type: 'Normal',
        reportingComponent: 'kubelet',
        reportingInstance: 'n1',
      },
    ]);
    await recorder.stop();
  });

  it('counts a series by patches', async () => {
    const { clock, server, recorder } = setUp();
    await recorder.start();
    for (let i = 0; i < 5; i++) {
      recorder.event(pod, 'Warning', 'BackOff', 'back-off');
      await clock.advance(10_000);
    }
    expect(server.calls.map(({ verb }) => verb)).toEqual(['create', 'patch', 'patch', 'patch', 'patch']);
    const [event] = server.stored.values();
    expect(event).toMatchObject({ count: 5, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:40Z' });
  });

  it('gives simultaneous events different names, and puts events of nodes in the namespace default', async () => {
    const { clock, server, recorder } = setUp();
    await recorder.start();
    for (const reason of ['NodeReady', 'Starting', 'Rebooted'])
      recorder.event({ kind: 'Node', name: 'n1', uid: 'n1' }, 'Normal', reason, '');
    recorder.event({ kind: 'Node', name: 'N_1'.repeat(90) }, 'Normal', 'Starting', '');
    await clock.settle();
    const stored = [...server.stored.values()];
    expect(stored).toHaveLength(4);
    expect(new Set(stored.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['default']));
    expect(stored[3]?.metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('re-creates an expired event instead of patching it', async () => {
    const { clock, server, recorder } = setUp();
    await recorder.start();
    recorder.event(pod, 'Warning', 'BackOff', 'back-off');
    await clock.advance(10_000);
    server.stored.clear();
    recorder.event(pod, 'Warning', 'BackOff', 'back-off');
    await clock.settle();
    expect(server.calls.map(({ verb }) => verb)).toEqual(['create', 'patch', 'create']);
    expect([...server.stored.values()]).toMatchObject([{ count: 2, firstTimestamp: '2026-01-01T00:00:00Z' }]);
  });

  it('tries twelve times, ten seconds apart after a random first delay, and then continues with the next event', async () => {
    const { clock, server, recorder, dropped, logger } = setUp({ random: () => 0.25 });
    server.fault = (_, call) => (call <= 12 ? away() : undefined);
    await recorder.start();
    recorder.event(pod, 'Normal', 'First', '');
    recorder.event(pod, 'Normal', 'Second', '');
    await clock.advance(200_000);
    expect(server.calls.map(({ at }) => at)).toEqual([0, ...Array.from({ length: 11 }, (_, i) => 2500 + i * 10_000), 102_500]);
    expect([...server.stored.values()].map(({ reason }) => reason)).toEqual(['Second']);
    expect(dropped).toEqual({ unreachable: 1 });
    expect(logger.messages('error')).toEqual(['could not write an event, dropping it']);
  });

  it('writes the queued events when the API server is reachable again', async () => {
    const { clock, server, recorder, dropped } = setUp();
    server.fault = () => (clock.monotonic() < 60_000 ? away() : undefined);
    await recorder.start();
    for (let i = 0; i < 20; i++) recorder.event(pod, 'Normal', `R${i}`, '');
    await clock.advance(120_000);
    expect([...server.stored.values()].map(({ reason }) => reason)).toEqual(Array.from({ length: 20 }, (_, i) => `R${i}`));
    expect(dropped).toEqual({});
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['Forbidden', refusal(403, 'Forbidden'), 'error'],
    ['TooManyRequests', refusal(429, 'TooManyRequests'), 'error'],
    ['Invalid', refusal(422, 'Invalid'), 'error'],
    ['a call that cannot be made', new NodeAgentError('UnnamedObject', 'the object has no metadata.name'), 'error'],
    ['AlreadyExists', refusal(409, 'AlreadyExists'), 'debug'],
    ['a terminating namespace', refusal(403, 'Forbidden', 'NamespaceTerminating'), 'debug'],
  ] as const)('does not try again after %s', async (_, fault, level) => {
    const { clock, server, recorder, dropped, logger } = setUp();
    server.fault = (_, call) => (call === 1 ? fault : undefined);
    await recorder.start();
    recorder.event(pod, 'Normal', 'Refused', '');
    recorder.event(pod, 'Normal', 'Next', '');
    await clock.settle();
    expect([...server.stored.values()].map(({ reason }) => reason)).toEqual(['Next']);
    expect(dropped).toEqual({ rejected: 1 });
    expect(logger.messages(level)).toContain('could not write an event, dropping it');
    expect(clock.pending).toBe(0);
  });

  it('queues no more than its capacity while the API server is unreachable for an hour', async () => {
    const logger = createRecordingLogger(100_000);
    const { clock, server, recorder, dropped } = setUp({ logger });
    server.fault = away;
    await recorder.start();
    for (let second = 0; second < 3600; second++) {
      for (let i = 0; i < 5; i++) recorder.event({ ...pod, name: `p${i}`, uid: `${second}-${i}` }, 'Warning', 'Failed', `m${second}`);
      expect(recorder.waiting).toBeLessThanOrEqual(1000);
      await clock.advance(1000);
    }
    expect(recorder.waiting).toBe(1000);
    expect(dropped.queue_full).toBeGreaterThan(16_000);
    expect(logger.messages('warn')).toHaveLength(1);
    server.fault = undefined;
    await clock.advance(120_000);
    expect(recorder.waiting).toBe(0);
    expect(server.stored.size).toBeGreaterThan(1000);
  });

  it('never blocks the caller if the API server hangs', async () => {
    const { clock, server, recorder, dropped } = setUp({ queueCapacity: 3 });
    server.answer = new Promise(() => {});
    await recorder.start();
    for (let i = 0; i < 10; i++) recorder.event(pod, 'Normal', `R${i}`, '');
    expect(recorder.waiting).toBe(3);
    expect(dropped).toEqual({ queue_full: 6 });
    await clock.settle();
    await recorder.stop();
    expect(server.calls).toHaveLength(1);
  });

  it('respects the rate limit', async () => {
    const { clock, server, recorder } = setUp({ qps: 10, burst: 5 });
    await recorder.start();
    for (let i = 0; i < 15; i++) recorder.event({ ...pod, uid: `u${i}` }, 'Normal', 'R', '');
    await clock.settle();
    expect(server.calls).toHaveLength(5);
    await clock.advance(500);
    expect(server.calls).toHaveLength(10);
    await clock.advance(500);
    expect(server.calls).toHaveLength(15);
  });

  it('has no rate limit with qps 0', async () => {
    const { clock, server, recorder } = setUp({ qps: 0, burst: 1 });
    await recorder.start();
    for (let i = 0; i < 500; i++) recorder.event({ ...pod, uid: `u${i}` }, 'Normal', 'R', '');
    await clock.settle();
    expect(server.calls).toHaveLength(500);
  });

  it('drops the spam of an object', async () => {
    const { clock, server, recorder, dropped } = setUp();
    await recorder.start();
    for (let i = 0; i < 100; i++) recorder.event(pod, 'Warning', 'Unhealthy', 'probe failed');
    await clock.settle();
    expect(server.calls).toHaveLength(25);
    expect(dropped).toEqual({ spam: 75 });
  });

  it('queues events before a start and between two starts', async () => {
    const { clock, server, recorder } = setUp();
    recorder.event(pod, 'Normal', 'Early', '');
    await clock.settle();
    expect(server.calls).toEqual([]);
    await recorder.start();
    await recorder.start();
    await clock.settle();
    expect(server.stored.size).toBe(1);
    await recorder.stop();
    await recorder.stop();
    recorder.event(pod, 'Normal', 'Between', '');
    await clock.settle();
    expect(server.stored.size).toBe(1);
    await recorder.start();
    await clock.settle();
    expect(server.stored.size).toBe(2);
  });

  it('stops when its signal aborts, also during a retry delay', async () => {
    const { clock, server, recorder } = setUp();
    const controller = new AbortController();
    server.fault = away;
    await recorder.start(controller.signal);
    recorder.event(pod, 'Normal', 'R', '');
    await clock.advance(15_000);
    controller.abort();
    await clock.settle();
    expect(clock.pending).toBe(0);
    const calls = server.calls.length;
    recorder.event(pod, 'Normal', 'R', '');
    await clock.advance(60_000);
    expect(server.calls).toHaveLength(calls);
    await recorder.start(controller.signal);
    await clock.advance(60_000);
    expect(server.calls).toHaveLength(calls);
  });

  it.each([
    [{ events: {} }, 'events'],
    [{ nodeName: '' }, 'nodeName'],
    [{ qps: -1 }, 'qps'],
    [{ burst: 0 }, 'burst'],
    [{ queueCapacity: 1.5 }, 'queueCapacity'],
  ])('refuses %j', (options, field) => {
    expect(() => setUp(options as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
