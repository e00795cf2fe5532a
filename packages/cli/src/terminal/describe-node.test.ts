import { expect, it } from 'vitest';
import { describeNode } from './describe-node.js';

it('shows the cluster and one line for each certificate', () => {
  const answer = { now: 0, node: 'n1', runtime: 'memory', runtimeErrors: [], podLogsDir: '/logs' };
  expect(describeNode(answer)).toEqual(['Name:     n1', 'Runtime:  memory']);
  const certificates = { client: 'no certificate; waiting for the signer' };
  expect(describeNode({ ...answer, cluster: 'https://api:6443', clusterError: 'forbidden', certificates })).toEqual([
    'Name:                n1',
    'Runtime:             memory',
    'Cluster:             https://api:6443',
    'Cluster Error:       forbidden',
    'Client Certificate:  no certificate; waiting for the signer',
  ]);
});
