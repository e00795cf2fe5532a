import type { ContainerStatus } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles } from '../memory-files.js';
import { logMessage, terminationMessage } from './termination-message.js';

const time = '2026-01-01T00:00:00.000000000Z';
const status = (more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  id: 'c',
  state: 'CONTAINER_EXITED',
  createdAt: 0n,
  startedAt: 0n,
  finishedAt: 0n,
  exitCode: 1,
  imageRef: '',
  imageId: '',
  reason: 'Error',
  message: '',
  labels: {},
  annotations: {
    'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError',
  },
  mounts: [{ containerPath: '/dev/termination-log', hostPath: '/message' }],
  logPath: '/log',
  stopSignal: 'RUNTIME_DEFAULT',
  ...more,
});

describe('terminationMessage', () => {
  it('reads the end of the file', async () => {
    const files = createMemoryFiles();
    files.append('/message', `${'x'.repeat(5000)}end`);
    expect(await terminationMessage(status(), files)).toBe(`${'x'.repeat(4093)}end`);
  });

  it('falls back to the log only after a failure, if the policy requests it', async () => {
    const files = createMemoryFiles();
    files.append('/log', `${time} stdout F one\n${time} stderr P tw\n${time} stderr F o\n`);
    expect(await terminationMessage(status(), files)).toBe('one\ntwo\n');
    expect(await terminationMessage(status({ exitCode: 0 }), files)).toBe('');
    expect(await terminationMessage(status({ reason: 'ContainerCannotRun' }), files)).toBe('');
    expect(await terminationMessage(status({ annotations: {} }), files)).toBe('');
  });
});

describe('logMessage', () => {
  it('keeps the last 80 lines and of them the last 2048 bytes', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${time} stdout F ${index}\n`).join('');
    expect(logMessage(lines).split('\n').slice(0, 2)).toEqual(['20', '21']);
    const long = logMessage(`${time} stdout F ${'y'.repeat(3000)}\n`);
    expect(long).toBe(`${'y'.repeat(2047)}\n`);
  });

  it('omits a truncated first line and invalid lines', () => {
    expect(logMessage(`rest of a line\nnonsense\n${time} stdout F whole\n`, true)).toBe('whole\n');
  });
});
