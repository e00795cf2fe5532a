import { errorMessage, type NodeAgentError } from '@nodeagent/api';
import { afterFailure, type ExponentialBackoff, formatDuration } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { createNestedPendingOperations, createOperationMap, isSafeToRetry } from '@nodeagent/volume-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

type BackoffStep = { op: 'failure' | 'check' } | { op: 'advance'; ms: number };

function replayBackoff({ steps }: { steps: BackoffStep[] }) {
  let backoff: ExponentialBackoff | undefined;
  let now = 0;
  return {
    steps: steps.map((step) => {
      if (step.op === 'advance') now += step.ms;
      if (step.op === 'failure') backoff = afterFailure(backoff, new Error('failed'), now);
      const safe = isSafeToRetry(backoff, now);
      return { safe, ...(!safe && backoff && { durationBeforeRetry: formatDuration(backoff.durationMs) }) };
    }),
  };
}

/** What beginning an operation came to. */
function beginResult(begin: () => void) {
  try {
    begin();
    return { result: 'started' };
  } catch (error) {
    const { code, message, details, cause } = error as NodeAgentError;
    if (code === 'OperationAlreadyExists') return { result: 'alreadyExists', error: message };
    return { result: 'backoff', durationBeforeRetry: formatDuration(Number(details.durationMs)), lastError: errorMessage(cause) };
  }
}

const failure = (error: string | undefined) => (error ? new Error(error) : undefined);

// biome-ignore lint/suspicious/noExplicitAny: steps of many shapes
type Input = { exponentialBackOffOnError: boolean; steps: any[] };

async function replayMap({ exponentialBackOffOnError: backOffOnError, steps }: Input) {
  const clock = createVirtualClock();
  const operations = createOperationMap({ clock, backOffOnError });
  const running = new Map<string, ReturnType<typeof operations.begin>>();
  const answers: unknown[] = [];
  for (const { op, name, ms, error } of steps) {
    let answer: unknown = {};
    if (op === 'advance') await clock.advance(ms);
    else if (op === 'run') answer = beginResult(() => running.set(name, operations.begin(name)));
    else if (op === 'complete') running.get(name)?.finish(failure(error));
    else answer = { pending: operations.isPending(name) };
    answers.push(answer);
  }
  return { steps: answers };
}

async function replayNested({ exponentialBackOffOnError: backOffOnError, steps }: Input) {
  const clock = createVirtualClock();
  const operations = createNestedPendingOperations({ clock, backOffOnError });
  const running = new Map<number, ReturnType<typeof operations.begin>>();
  const answers: unknown[] = [];
  for (const { op, volume: volumeName, pod: podUid, node: nodeName, operationName, runId, ms, error } of steps) {
    const key = { volumeName, podUid, nodeName };
    let answer: unknown = {};
    if (op === 'advance') await clock.advance(ms);
    else if (op === 'run') answer = beginResult(() => running.set(runId, operations.begin(key, operationName)));
    else if (op === 'complete') running.get(runId)?.finish(failure(error));
    else answer = { pending: operations.isPending(key), safeToRetry: operations.isSafeToRetry(key, operationName) };
    answers.push(answer);
  }
  return { steps: answers };
}

export const volumeOperationsAdapters: Adapter[] = [
  defineAdapter('exponential-backoff', replayBackoff),
  defineAdapter('goroutinemap', replayMap),
  defineAdapter('nested-pending-operations', replayNested),
];
