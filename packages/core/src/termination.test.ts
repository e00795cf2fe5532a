import { describe, expect, it } from 'vitest';
import { joined, running, untilReady, userPod } from './test-member.js';

describe('a pod that is deleted a second time with a shorter grace period', () => {
  it.each(['web', 'hooked'])('%s terminates within that period', async (name) => {
    const member = await joined();
    const { server, clock, memory, pod } = member;
    memory.script('main', { onStop: 'ignore', exec: { afterMs: 3_600_000 } });
    const lifecycle = name === 'hooked' ? { lifecycle: { preStop: { exec: { command: ['drain'] } } } } : {};
    server.objects.create(userPod(name, { nodeName: 'node', terminationGracePeriodSeconds: 600, container: lifecycle }));
    await untilReady(member, name);

    const remove = (gracePeriodSeconds: number) => server.objects.delete('pods', name, { gracePeriodSeconds });
    const start = clock.monotonic();
    remove(600);
    await clock.advance(10_000);
    expect(running(member)).toEqual([name]);
    remove(5);
    await clock.until(() => pod(name) === undefined, 20_000);
    expect((clock.monotonic() - start) / 1000).toBeGreaterThanOrEqual(15);
    expect(running(member)).toEqual([]);
    expect(memory.callsOf('execSync')).toHaveLength(name === 'hooked' ? 1 : 0);
    expect(member.eventLines(name).filter((line) => /FailedKillPod|FailedSync/.test(line))).toEqual([]);
    expect(await member.end()).toBe(0);
  });
});
