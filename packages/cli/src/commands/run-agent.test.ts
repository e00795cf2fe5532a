import { NodeAgentError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { InterruptReason } from '../console.js';
import { runAgent } from './run-agent.js';

const forever = () => new Promise<void>(() => {});
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function running(
  stopPodsOnExit: boolean,
  agent: Partial<Parameters<typeof runAgent>[0]> = {},
  shutdownOnSigterm = false,
  why: InterruptReason = 'SIGTERM',
) {
  const calls: string[] = [];
  const lines: string[] = [];
  const first = new AbortController();
  const second = new AbortController();
  const code = runAgent(
    {
      start: async () => void calls.push('start'),
      stop: async () => void calls.push('stop'),
      stopPods: async () => void calls.push('stopPods'),
      shutdown: async () => void calls.push('shutdown'),
      ...agent,
    },
    { first: first.signal, second: second.signal, why: () => why },
    { print: (line) => lines.push(line), stopping: (line) => lines.push(line), stopped: (line) => lines.push(line) },
    { stopPodsOnExit, shutdownOnSigterm },
  );
  return { calls, lines, first: () => first.abort(), second: () => second.abort(new NodeAgentError('INTERRUPTED', 'twice')), code };
}

describe('runAgent', () => {
  it('stops the pods, then the agent', async () => {
    const { calls, lines, first, code } = running(true);
    await settle();
    expect(calls).toEqual(['start']);
    first();
    expect(await code).toBe(0);
    expect(calls).toEqual(['start', 'stopPods', 'stop']);
    expect(lines).toEqual(['stopping all pods within their grace periods; Ctrl-C again kills them at once', 'all pods have stopped']);
  });

  it('leaves the pods running without stopPodsOnExit', async () => {
    const { calls, lines, first, code } = running(false);
    first();
    expect(await code).toBe(0);
    expect(calls).toEqual(['start', 'stop']);
    expect(lines).toEqual(['stopping; containers keep running, and the next start recovers them']);
  });

  it.each([
    ['SIGTERM' as const, false, ['start', 'shutdown', 'stop'], ['node shutdown: terminating the pods by priority']],
    ['SIGTERM' as const, true, ['start', 'shutdown', 'stopPods', 'stop'], expect.arrayContaining(['all pods have stopped'])],
    ['SIGINT' as const, false, ['start', 'stop'], ['stopping; containers keep running, and the next start recovers them']],
  ])('handles %s with --shutdown-on-sigterm', async (why, stopPods, expectedCalls, expectedLines) => {
    const { calls, lines, first, code } = running(stopPods, {}, true, why);
    first();
    expect(await code).toBe(0);
    expect(calls).toEqual(expectedCalls);
    expect(lines).toEqual(expectedLines);
  });

  it('does not wait for a start that hangs', async () => {
    const { calls, first, code } = running(true, { start: forever });
    first();
    expect(await code).toBe(0);
    expect(calls).toEqual(['stopPods', 'stop']);
  });

  it.each([
    ['stopPods', { stopPods: forever }],
    ['stop', { stop: forever }],
  ])('a second interrupt stops it although %s hangs', async (_name, agent) => {
    const { first, second, code } = running(true, agent);
    first();
    await settle();
    second();
    expect(await code).toBe(130);
  });

  it('a second interrupt stops it although stopping the pods then fails', async () => {
    const failing = (signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { first, second, code } = running(true, { stopPods: failing });
    first();
    await settle();
    second();
    expect(await code).toBe(130);
  });

  it.each(['start', 'stopPods', 'stop'] as const)('rejects if %s fails', async (method) => {
    const { first, code } = running(true, { [method]: () => Promise.reject(new Error(`${method} is broken`)) });
    const failed = expect(code).rejects.toThrow(`${method} is broken`);
    if (method !== 'start') first();
    await failed;
  });
});
