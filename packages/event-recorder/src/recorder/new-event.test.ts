import { expect, it } from 'vitest';
import { newEvent } from './new-event.js';

it('copies the annotations into the event', () => {
  const annotations = { starved_resource: 'memory' };
  const reported = { object: { kind: 'Pod', namespace: 'prod', name: 'web' }, type: 'Warning', reason: 'Evicted', message: 'low' } as const;
  const event = newEvent({ ...reported, name: 'web.1', annotations, component: 'kubelet', nodeName: 'n1', now: 0 });
  expect(event.metadata).toEqual({ name: 'web.1', namespace: 'prod', annotations: { starved_resource: 'memory' } });
  expect(event.metadata.annotations).not.toBe(annotations);
});
