import { apiStatusError, NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { clusterProblem, createClusterConnection } from './cluster-connection.js';

const unreachable = new NodeAgentError('ApiUnreachable', 'API server https://h:6443: connect ECONNREFUSED', { retryable: true });
const refused = (code: number) => apiStatusError({ code, reason: 'Forbidden', message: 'pods is forbidden: User "jane" cannot list' });

function fakeInformer() {
  let emit: (event: { type: string; error?: unknown }) => void = () => {};
  return {
    onEvent(listener: typeof emit) {
      emit = listener;
      return () => {};
    },
    emit: (type: string, error?: unknown) => emit({ type, error }),
  };
}

it.each([
  [unreachable, 'cannot reach API server https://h:6443: connect ECONNREFUSED'],
  [
    new NodeAgentError('ApiUnreachable', 'API server h: bad certificate', { hint: 'check the authority' }),
    'cannot reach API server h: bad certificate (check the authority)',
  ],
  [refused(403), 'forbidden: pods is forbidden: User "jane" cannot list; is the identity system:node:n1, in the group system:nodes?'],
  [
    refused(401),
    'the API server does not accept the credentials: pods is forbidden: User "jane" cannot list; are they expired, or of another cluster?',
  ],
])('%s: reports the error and its remedy', (error, text) => {
  expect(clusterProblem(error, 'n1')).toBe(text);
});

it('one connection clears unreachable errors, but not refusals', () => {
  const [node, pods] = [fakeInformer(), fakeInformer()];
  const reported: (string | undefined)[] = [];
  const connection = createClusterConnection([node, pods, {}], 'n1', (error) => reported.push(error?.slice(0, 9)));
  expect(connection.error()).toBe('the API server has not answered yet');
  node.emit('connected');
  pods.emit('connected');
  node.emit('stale', unreachable);
  pods.emit('stale', unreachable);
  pods.emit('relisted');
  pods.emit('connected');
  pods.emit('stale', refused(403));
  node.emit('connected');
  pods.emit('connected');
  expect(reported).toEqual([undefined, 'cannot re', undefined, 'forbidden', undefined]);
});

it('reports no error without informers that report their connection', () => {
  expect(createClusterConnection([{}], 'n1', () => {}).error()).toBeUndefined();
});
