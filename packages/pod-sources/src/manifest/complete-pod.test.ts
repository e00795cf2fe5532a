import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { completePod } from './complete-pod.js';

const plain = (image = 'nginx:1'): Pod => ({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image }] } });

it('gives a plain pod the defaults of the API, a namespace and a UID, and leaves the given pod as it is', () => {
  const given = plain();
  const complete = completePod(given, 'mine');
  expect(complete).toMatchObject({
    metadata: { name: 'web', namespace: 'default', uid: expect.stringMatching(/^[0-9a-f]{32}$/) },
    spec: {
      enableServiceLinks: true,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'main', imagePullPolicy: 'IfNotPresent', resources: {} }],
    },
  });
  expect(given).toEqual(plain());
});

it('changes nothing of a complete pod', () => {
  const complete = completePod(plain(), 'mine');
  expect(completePod(complete, 'other')).toEqual(complete);
});

it('derives the UID from the pod and its source, so that an edit makes another pod', () => {
  const uid = (pod: Pod, source = 'mine') => completePod(pod, source).metadata?.uid;
  expect(uid(plain())).toBe(uid(plain()));
  expect(uid(plain('nginx:2'))).not.toBe(uid(plain()));
  expect(uid(plain(), 'other')).not.toBe(uid(plain()));
});
