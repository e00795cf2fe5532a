import type { Summary } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createLiveState, type PageChange } from './live-state.js';
import { resolveOptions } from './options.js';
import { runningPod, TestPageAgent } from './test-agent.js';
import { createUsageHistory } from './usage-history.js';
import { usageSample } from './usage-sample.js';

const time = '2026-01-01T00:00:00Z';
const podStats = (uid: string, nanoCores: bigint) => ({
  podRef: { uid, name: uid, namespace: 'default' },
  startTime: time,
  containers: [{ name: 'main', startTime: time, memory: { time, workingSetBytes: 7n } }],
  cpu: { time, usageNanoCores: nanoCores },
  memory: { time, workingSetBytes: 1024n },
});
const summaryOf = (uids: readonly string[], rx = 0n): Summary => ({
  node: {
    nodeName: 'n1',
    startTime: time,
    cpu: { time, usageNanoCores: 500_000_000n },
    network: { time, name: 'eth0', rxBytes: rx, txBytes: 0n },
    fs: { time, capacityBytes: 100n, availableBytes: 40n },
  },
  pods: uids.map((uid) => podStats(uid, 250_000_000n)),
});

/** A page of an agent with stats; `asked` counts the summaries. */
function setUp(summary = async (): Promise<Summary> => summaryOf(['web'])) {
  const clock = createVirtualClock();
  const agent = new TestPageAgent();
  agent.views = [runningPod('web')];
  let asked = 0;
  agent.stats = {
    summary: () => {
      asked += 1;
      return summary();
    },
  };
  const live = createLiveState(resolveOptions({ agent, nodeName: 'n1', clock }));
  const changes: PageChange[] = [];
  return { clock, agent, live, changes, watch: () => live.watch((change) => changes.push(change)), asked: () => asked };
}

describe('the history of usage', () => {
  it('has the newest samples, with gaps, and drops a pod that has terminated', () => {
    const history = createUsageHistory(3);
    for (let at = 1; at <= 4; at += 1) {
      history.add({ at, node: { cpu: at }, pods: { web: { cpu: at, restarts: 0 }, ...(at > 2 && { late: { memory: at } }) } });
    }
    expect(history.ofNode()).toMatchObject({ times: [2, 3, 4], values: { cpu: [2, 3, 4], memory: [null, null, null] } });
    expect(history.ofPod('late').values).toEqual({ cpu: [null, null, null], memory: [null, 3, 4], restarts: [null, null, null] });
    history.add({ at: 5, node: {}, pods: {} });
    expect(history.ofPod('web')).toEqual({ times: [3, 4, 5], values: {} });
    history.clear();
    expect([history.ofNode(), history.latest()]).toEqual([{ times: [], values: {} }, undefined]);
  });

  it('has cores, bytes, restarts, and rates of the network', () => {
    const views = [runningPod('web')];
    const before = { at: 1_000, rx: 1_000n, tx: 5n };
    const sample = usageSample(summaryOf(['web'], 3_000n), { at: 3_000, views, before });
    expect(sample).toEqual({
      at: 3_000,
      node: { cpu: 0.5, rx: 1_000, disk: 60 },
      pods: { web: { cpu: 0.25, memory: 1024, restarts: 0 } },
    });
    expect(usageSample(summaryOf([]), { at: 1, views, before: undefined }).node).toEqual({ cpu: 0.5, disk: 60 });
  });
});

describe('sampling', () => {
  it('costs nothing before a browser is connected', async () => {
    const { clock, live, asked } = setUp();
    await clock.advance(3_600_000);
    expect(live.pod('web')).toMatchObject({ history: { times: [] }, containers: {} });
    expect([asked(), clock.pending]).toEqual([0, 0]);
  });

  it('starts with the first browser, and ends ten minutes after the last one without a timer or samples', async () => {
    const { clock, live, changes, watch, asked } = setUp();
    watch();
    await clock.advance(46_000);
    expect(asked()).toBe(4);
    expect(changes.filter(({ event }) => event === 'usage')).toHaveLength(4);
    expect(live.state().usage?.pods).toEqual({ web: { cpu: 0.25, memory: 1024, restarts: 0 } });
    expect(live.pod('web')).toMatchObject({
      history: { values: { cpu: [0.25, 0.25, 0.25, 0.25] } },
      containers: { main: { memory: 7 } },
    });
    live.unwatch();
    await clock.advance(300_000);
    expect(live.pod('web')?.history.times).toHaveLength(24);
    watch();
    live.unwatch();
    await clock.advance(599_000);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1_000);
    const after = asked();
    expect([clock.pending, live.pod('web')?.history.times]).toEqual([0, []]);
    await clock.advance(3_600_000);
    expect(asked()).toBe(after);
  });

  it('keeps an hour, and continues after a failure', async () => {
    let fails = true;
    const { clock, live, watch } = setUp(async () => {
      if (fails) throw new Error('no cgroups');
      return summaryOf(['web']);
    });
    watch();
    await clock.advance(1_000);
    fails = false;
    await clock.advance(2 * 3_600_000);
    expect(live.pod('web')?.history.times).toHaveLength(240);
    live.close();
    expect(clock.pending).toBe(0);
  });
});
