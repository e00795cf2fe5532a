import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createCertificateManager } from './certificate-manager.js';
import { createMemoryCertificateStore } from './certificate-store.js';
import { clientTemplate } from './certificate-template.js';
import { kubernetesSigner } from './kubernetes-signer.js';
import { createTestRequests } from './test-signer.js';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const lifetimeMs = 20 * day;
/** A certificate has at least this time left when its rotation starts. */
const marginMs = 0.1 * lifetimeMs;

it.each(Array.from({ length: Number(process.env.TEST_RUNS ?? 2) }, (_, i) => i + 1 + Number(process.env.TEST_SEED ?? 0)))(
  'has a valid certificate for 5 years, except in outages that outlast it (seed %i, or TEST_SEED=n)',
  async (seed) => {
    const random = seededRandom(seed);
    const clock = createVirtualClock();
    const requests = createTestRequests(clock, lifetimeMs);
    requests.signsAtOnce = true;
    const manager = createCertificateManager({
      store: createMemoryCertificateStore(),
      template: () => clientTemplate('n1'),
      requestCertificate: kubernetesSigner({ role: 'client', api: () => requests.api }),
      clock,
      random: seededRandom(seed + 1_000),
    });
    await manager.start();
    await clock.advance(minute);
    const end = clock.now() + 5 * 365 * day;
    let rotations = 0;
    manager.onRotation(() => {
      rotations += 1;
    });
    while (clock.now() < end) {
      await clock.advance(random() * 12 * hour);
      expect(manager.current()).toBeDefined();
      if (random() > 0.003) continue;
      requests.failure = new Error('connect ECONNREFUSED');
      const startedAt = clock.now();
      const outageMs = random() * 4 * day;
      while (clock.now() < startedAt + outageMs) {
        await clock.advance(hour);
        if (manager.current() === undefined) expect(clock.now() - startedAt).toBeGreaterThan(marginMs - hour);
      }
      requests.failure = undefined;
      await clock.advance(minute);
      expect(manager.current()).toBeDefined();
    }
    expect(rotations).toBeGreaterThan(100);
    await manager.stop();
    expect(clock.pending).toBe(0);
  },
  120_000,
);
