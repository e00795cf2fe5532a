import type { ListContainersResponse, StopContainerResponse } from '@nodeagent/cri-api';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { runSuite } from '../suite/run-suite.js';
import { criRuntimeSuite } from './cri-runtime-suite.js';
import type { CriSubject } from './subject.js';

function memorySubject(sabotage: (memory: MemoryRuntime) => void = () => {}): { subject: CriSubject } {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: ['busybox:1'] });
  memory.script('succeeds', { exit: { code: 0 } });
  memory.script('fails', { exit: { code: 3 } });
  memory.script({ image: 'busybox:1', name: /^ignores-stop/ }, { onStop: 'ignore' });
  memory.script('runs', {
    exec: ([command]) =>
      command === 'true' ? {} : command === 'echo' ? { stdout: 'hello\n' } : command === 'sleep' ? { afterMs: 60_000 } : { exitCode: 1 },
  });
  sabotage(memory);
  return {
    subject: {
      runtime: memory.runtime,
      image: memory.image,
      container: () => ({ image: { image: 'busybox:1' } }),
      sandbox: { logDirectory: '/logs' },
      images: { present: 'busybox:1', absent: 'absent:1' },
      exec: {
        answers: [
          { cmd: ['true'], exitCode: 0, stdout: '' },
          { cmd: ['false'], exitCode: 1, stdout: '' },
          { cmd: ['echo', 'hello'], exitCode: 0, stdout: 'hello\n' },
        ],
        hangs: ['sleep', '60'],
      },
      sleep: (ms) => clock.advance(ms),
      run: (promise) => clock.run(promise),
    },
  };
}

describe('the in-memory runtime keeps the promises of a', () => {
  defineSuite({ describe, it }, criRuntimeSuite, () => memorySubject(), { without: ['streaming'] });
});

describe('the CRI suite', () => {
  const times = Number.POSITIVE_INFINITY;

  it.each<[string, (memory: MemoryRuntime) => void, RegExp]>([
    [
      'has no status',
      (memory) => memory.fault({ times, method: 'podSandboxStatus', error: 'CRI_UNIMPLEMENTED' }),
      /keeps its configuration/,
    ],
    ['does not stop', (memory) => memory.fault({ times, method: 'stopContainer', answer: {} }), /StopContainer returns when/],
    [
      'stops one container after the other',
      (memory) => {
        let last: Promise<unknown> = Promise.resolve();
        const inTurn = (_: unknown, proceed: () => Promise<StopContainerResponse>) => {
          const answer = last.then(proceed);
          last = answer.catch(() => {});
          return answer;
        };
        memory.fault({ times, method: 'stopContainer', answer: inTurn });
      },
      /stopped concurrently/,
    ],
    [
      'lists things twice',
      (memory) => {
        const twice = async (_: unknown, proceed: () => Promise<ListContainersResponse>) => {
          const { containers } = await proceed();
          return { containers: [...containers, ...containers] };
        };
        memory.fault({ times, method: 'listContainers', answer: twice });
      },
      /filters/,
    ],
    ['removes once', (memory) => memory.fault({ times, method: 'removeContainer', skip: 1, error: 'CRI_UNKNOWN' }), /RemoveContainer/],
    [
      'removes sandboxes once',
      (memory) => memory.fault({ times, method: 'removePodSandbox', skip: 1, error: 'CRI_UNKNOWN' }),
      /RemovePodSandbox/,
    ],
    [
      'speaks an older version',
      (memory) => {
        const answer = { version: '0.1.0', runtimeName: 'x', runtimeVersion: '1', runtimeApiVersion: 'v1alpha2' };
        memory.fault({ times, method: 'version', answer });
      },
      /Version/,
    ],
    [
      'sends no events',
      (memory) => memory.fault({ times, method: 'getContainerEvents', error: 'CRI_UNIMPLEMENTED' }),
      /GetContainerEvents/,
    ],
    ['cannot run commands', (memory) => memory.fault({ times, method: 'execSync', hang: true }), /ExecSync/],
  ])('notices a runtime that %s', async (_, sabotage, promise) => {
    const results = await runSuite(criRuntimeSuite, () => memorySubject(sabotage), { without: ['streaming'] });
    const failed = results.filter(({ error }) => error !== undefined).map(({ name }) => name);
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });

  it('skips the cases of capabilities that a runtime does not have', async () => {
    const results = await runSuite(criRuntimeSuite, () => memorySubject(), {
      without: ['events', 'exec', 'resources', 'stats', 'streaming'],
    });
    expect(results.filter(({ skipped }) => skipped)).toHaveLength(10);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
