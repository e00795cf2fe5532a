import { silentLogger } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { type Controller, runControllers } from './controller.js';
import type { ControllerObjects, StoredChange } from './controller-objects.js';

it('runs the last controller once after all steps of the others', () => {
  let change: (change: StoredChange) => void = () => {};
  const objects = {
    onChange(listener: typeof change) {
      change = listener;
      return () => {};
    },
  } as ControllerObjects;
  const steps: string[] = [];
  const controller = (name: string, isLast: boolean): Controller => ({
    isLast,
    affected: ({ object }) => [{ storage: '/pods', name: isLast ? 'all' : (object.metadata.name ?? '') }],
    reconcile: (place) => void steps.push(`${name} ${place.name}`),
  });
  const controllers = runControllers(objects, silentLogger, [controller('first', false), controller('last', true)]);
  for (const name of ['a', 'b', 'c'])
    change({ type: 'ADDED', storage: '/pods', object: { kind: 'Pod', metadata: { name } } } as StoredChange);
  controllers.settle();
  expect(steps).toEqual(['first a', 'first b', 'first c', 'last all']);
  controllers.stop();
});
