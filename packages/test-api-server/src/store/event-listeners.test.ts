import { expect, it } from 'vitest';
import type { ApiObject } from '../objects.js';
import { EventListeners } from './event-listeners.js';

it('notifies matching listeners, also of objects that stop to match, and no removed listeners', () => {
  const listeners = new EventListeners();
  const notified: string[] = [];
  const listener = (name: string) => () => void notified.push(name);
  const on = (value: string) => ({ name: 'node', value, of: ({ spec }: ApiObject) => String((spec as { nodeName: string }).nodeName) });
  listeners.add(listener('all'), {});
  listeners.add(listener('pods'), { storage: '/pods' });
  const remove = listeners.add(listener('pods of a'), { storage: '/pods', field: on('a') });
  listeners.add(listener('pods of b'), { storage: '/pods', field: on('b') });
  const pod = (nodeName: string): ApiObject =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName } }) as ApiObject;
  const notifiedOf = (storage: string, object: ApiObject, previous?: ApiObject) => {
    notified.length = 0;
    listeners.emit({ revision: 1, type: 'MODIFIED', storage, object, ...(previous && { previous }) });
    return notified.join(', ');
  };
  expect(notifiedOf('/nodes', pod('a'))).toBe('all');
  expect(notifiedOf('/pods', pod('a'))).toBe('all, pods, pods of a');
  expect(notifiedOf('/pods', pod('b'), pod('a'))).toBe('all, pods, pods of b, pods of a');
  remove();
  expect(notifiedOf('/pods', pod('a'))).toBe('all, pods');
});
