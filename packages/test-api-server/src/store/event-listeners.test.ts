import { expect, it } from 'vitest';
import type { ApiObject } from '../objects.js';
import { EventListeners } from './event-listeners.js';

it('notifies matching listeners, also of objects that stop to match, and no removed listeners', () => {
  const listeners = new EventListeners();
  const heard: string[] = [];
  const hear = (name: string) => () => void heard.push(name);
  const on = (value: string) => ({ name: 'node', value, of: ({ spec }: ApiObject) => String((spec as { nodeName: string }).nodeName) });
  listeners.add(hear('all'), {});
  listeners.add(hear('pods'), { storage: '/pods' });
  const remove = listeners.add(hear('pods of a'), { storage: '/pods', field: on('a') });
  listeners.add(hear('pods of b'), { storage: '/pods', field: on('b') });
  const pod = (nodeName: string): ApiObject =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName } }) as ApiObject;
  const tell = (storage: string, object: ApiObject, previous?: ApiObject) => {
    heard.length = 0;
    listeners.tell({ revision: 1, type: 'MODIFIED', storage, object, ...(previous && { previous }) });
    return heard.join(', ');
  };
  expect(tell('/nodes', pod('a'))).toBe('all');
  expect(tell('/pods', pod('a'))).toBe('all, pods, pods of a');
  expect(tell('/pods', pod('b'), pod('a'))).toBe('all, pods, pods of b, pods of a');
  remove();
  expect(tell('/pods', pod('a'))).toBe('all, pods');
});
