import type { PodRuntimeStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { runningContainerIds, runningPodUids } from './running-pods.js';

const entry = (containers: string[], sandboxes: string[], error?: Error) => ({
  status: {
    containerStatuses: containers.map((state, index) => ({ id: `c${index}`, state })),
    sandboxStatuses: sandboxes.map((state) => ({ state })),
  } as PodRuntimeStatus,
  error,
});

it('counts pods with a running container, a ready sandbox or a status error as running', () => {
  const entries = [
    ['container', entry(['exited', 'running'], ['notReady'])],
    ['sandbox', entry(['exited'], ['notReady', 'ready'])],
    ['ended', entry(['exited'], ['notReady'])],
    ['empty', { status: undefined, error: undefined }],
    ['unknown', { status: undefined, error: new Error('no answer') }],
    ['partly', entry(['exited'], [], new Error('no answer'))],
  ] as const;
  expect([...runningPodUids(entries)]).toEqual(['container', 'sandbox', 'unknown', 'partly']);
  expect([...runningContainerIds(entries)]).toEqual(['c1']);
});
