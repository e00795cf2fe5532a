import type { Secret } from '@nodeagent/api';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createFakeSource } from './test-support/fake-source.js';
import { podWith, secret } from './test-support/pods.js';
import { createWatchedObjects } from './watched-objects.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

it('matches the server for all referenced objects after any sequence of events, and keeps no objects at the end', async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const clock = createVirtualClock();
  const source = createFakeSource<Secret>();
  const secrets = createWatchedObjects({ kind: 'Secret', source, clock, idleTimeoutMs: 5000 });
  const registered = new Map<string, string[]>();
  const stored = new Map<string, number>();
  await secrets.start();
  const check = async (step: number) => {
    const where = `seed ${seed}, step ${step}`;
    const wanted = new Set([...registered.values()].flat());
    for (const name of names) {
      const answer = await secrets.get('prod', name).then(
        ({ metadata }) => metadata?.resourceVersion,
        (error) => error.message,
      );
      const version = stored.get(name);
      const known = version === undefined ? `secret "${name}" not found` : String(version);
      expect(answer, where).toBe(wanted.has(name) ? known : `object "prod"/"${name}" not registered`);
    }
    expect([source.running, clock.pending], where).toEqual([wanted.size, wanted.size]);
  };
  for (let step = 1; step <= 500; step++) {
    const uid = `u${Math.floor(random() * 8)}`;
    const action = pick(['register', 'register', 'unregister', 'put', 'remove', 'wait', 'restart'] as const);
    if (action === 'register') {
      const refers = names.filter(() => random() < 0.3);
      secrets.registerPod(podWith(uid, ...refers));
      registered.set(uid, refers);
    } else if (action === 'unregister') {
      secrets.unregisterPod(podWith(uid));
      registered.delete(uid);
    } else if (action === 'put') {
      const name = pick(names);
      stored.set(name, step);
      source.put(secret(name, step));
    } else if (action === 'remove') {
      const name = pick(names);
      stored.delete(name);
      source.remove('prod', name);
    } else if (action === 'wait') {
      await clock.advance(random() * 10_000);
    } else {
      await secrets.stop();
      expect([source.running, clock.pending], `seed ${seed}, step ${step}`).toEqual([0, 0]);
      await secrets.start();
    }
    await check(step);
  }
  for (const uid of registered.keys()) secrets.unregisterPod(podWith(uid));
  expect([source.running, clock.pending]).toEqual([0, 0]);
});
