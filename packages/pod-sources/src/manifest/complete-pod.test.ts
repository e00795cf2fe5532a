import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { completePod } from './complete-pod.js';

const origin = { source: 'mine', nodeName: 'n1' };
const plain = (image = 'nginx:1'): Pod => ({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image }] } });

it('gives a plain pod the defaults of the API, a namespace, a UID and a node, and leaves the given pod as it is', () => {
  const given = plain();
  const complete = completePod(given, origin);
  expect(complete).toMatchObject({
    metadata: { name: 'web', namespace: 'default', uid: expect.stringMatching(/^[0-9a-f]{32}$/) },
    spec: {
      nodeName: 'n1',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'main', imagePullPolicy: 'IfNotPresent', resources: {} }],
    },
  });
  expect(given).toEqual(plain());
});

it('changes nothing of a complete pod', () => {
  const complete = completePod(plain(), origin);
  expect(completePod(complete, { source: 'other', nodeName: 'n2' })).toEqual(complete);
});

it('derives the UID from the pod and its source, so that an edit makes another pod', () => {
  const uid = (pod: Pod, source = 'mine') => completePod(pod, { ...origin, source }).metadata?.uid;
  expect(uid(plain())).toBe(uid(plain()));
  expect(uid(plain('nginx:2'))).not.toBe(uid(plain()));
  expect(uid(plain(), 'other')).not.toBe(uid(plain()));
});
