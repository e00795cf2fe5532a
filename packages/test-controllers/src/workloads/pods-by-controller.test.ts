import { expect, it } from 'vitest';
import type { StoredObject } from '../controller-objects.js';
import { PodsByController } from './pods-by-controller.js';

const owner = (uid: string, namespace = 'default'): StoredObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: uid, namespace, uid },
});
const pod = (name: string, uid?: string, phase = 'Pending'): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    ...(uid && { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }] }),
  },
  status: { phase },
});

it('keeps the newest pods of each controller by name, through adoption, release and deletion', () => {
  const pods = new PodsByController();
  const names = (uid: string, namespace?: string) =>
    pods.of(owner(uid, namespace)).map(({ pod: { metadata, status } }) => `${metadata?.name} ${status?.phase}`);
  const put = (object: StoredObject, previous?: StoredObject) =>
    pods.see({ type: previous ? 'MODIFIED' : 'ADDED', storage: '/pods', object, ...(previous && { previous }) });
  const [b, a, orphan] = [pod('b', 'one'), pod('a', 'one'), pod('c')];
  for (const each of [b, a, orphan]) put(each);
  expect(names('one')).toEqual(['a Pending', 'b Pending']);
  expect(names('one', 'other')).toEqual([]);
  put(pod('b', 'one', 'Running'), b);
  expect(names('one')).toEqual(['a Pending', 'b Running']);
  put(pod('c', 'one'), orphan);
  put(pod('a', 'two'), a);
  expect([names('one'), names('two')]).toEqual([['b Running', 'c Pending'], ['a Pending']]);
  put(pod('a'), pod('a', 'two'));
  const deleted = pod('b', 'one', 'Running');
  pods.see({ type: 'DELETED', storage: '/pods', object: deleted, previous: deleted });
  expect([names('one'), names('two')]).toEqual([['c Pending'], []]);
});
