import { apiStatusError, NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { clusterProblem, createClusterConnection } from './cluster-connection.js';

const away = new NodeAgentError('ApiUnreachable', 'API server https://h:6443: connect ECONNREFUSED', { retryable: true });
const refused = (code: number) => apiStatusError({ code, reason: 'Forbidden', message: 'pods is forbidden: User "jane" cannot list' });

function fakeInformer() {
  let tell: (event: { type: string; error?: unknown }) => void = () => {};
  return {
    onEvent(listener: typeof tell) {
      tell = listener;
      return () => {};
    },
    tell: (type: string, error?: unknown) => tell({ type, error }),
  };
}

it.each([
  [away, 'cannot reach API server https://h:6443: connect ECONNREFUSED'],
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
  const told: (string | undefined)[] = [];
  const connection = createClusterConnection([node, pods, {}], 'n1', (error) => told.push(error?.slice(0, 9)));
  expect(connection.error()).toBe('the API server has not answered yet');
  node.tell('connected');
  pods.tell('connected');
  node.tell('stale', away);
  pods.tell('stale', away);
  pods.tell('relisted');
  pods.tell('connected');
  pods.tell('stale', refused(403));
  node.tell('connected');
  pods.tell('connected');
  expect(told).toEqual([undefined, 'cannot re', undefined, 'forbidden', undefined]);
});

it('reports no error without informers that report their connection', () => {
  expect(createClusterConnection([{}], 'n1', () => {}).error()).toBeUndefined();
});
