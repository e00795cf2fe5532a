import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createLiveState, type PageChange } from './live-state.js';
import { resolveOptions } from './options.js';
import { runningPod, TestPageAgent } from './test-agent.js';

function setUp() {
  const agent = new TestPageAgent();
  const clock = createVirtualClock();
  const live = createLiveState(resolveOptions({ agent, nodeName: 'n1', clock }));
  const changes: PageChange[] = [];
  const watch = () => live.watch((change) => changes.push(change));
  const emitted = () => changes.map(({ event, data }) => [event, JSON.parse(data)]);
  return { agent, clock, live, changes, watch, emitted };
}

describe('with a watcher', () => {
  it('emits changes, one for simultaneous events, and resumes after any change', async () => {
    const { agent, clock, live, changes, watch, emitted } = setUp();
    const { id } = live.state();
    watch();
    expect(live.changesAfter(id)).toEqual([]);
    agent.views = [runningPod('web')];
    agent.changed();
    agent.changed();
    agent.happened({ text: 'a' });
    await clock.advance(150);
    expect(emitted()).toMatchObject([
      ['entry', { text: 'a', count: 1 }],
      ['node', { verdict: { text: 'The pod is healthy' } }],
      ['pod', { uid: 'web' }],
    ]);
    agent.views = [];
    agent.changed();
    await clock.advance(150);
    expect(emitted().slice(3)).toMatchObject([
      ['node', {}],
      ['removed', 'web'],
    ]);
    expect(live.changesAfter(id)).toMatchObject(changes.map(({ id: each }) => ({ id: each })));
    expect(live.changesAfter(changes[2]?.id)).toHaveLength(2);
    live.close();
    expect(clock.pending).toBe(0);
  });

  it('polls values without events', async () => {
    const { agent, clock, live, watch, emitted } = setUp();
    live.state();
    watch();
    agent.errors = ['no socket'];
    await clock.advance(15_000);
    expect(emitted()).toMatchObject([['node', { verdict: { level: 'bad' } }]]);
    await clock.advance(60_000);
    expect(emitted()).toHaveLength(1);
    live.close();
  });

  it('sends the full state to a browser that missed too many changes, or with an id of a previous instance', async () => {
    const { agent, clock, live, watch } = setUp();
    const { id } = live.state();
    watch();
    for (let i = 0; i < 600; i += 1) agent.happened({ text: `${i}` });
    await clock.advance(150);
    for (const after of [id, 'other-0', undefined]) {
      expect(live.changesAfter(after)).toMatchObject([{ event: 'state', id: live.state().id }]);
    }
    live.close();
  });
});

describe('an event of a pod', () => {
  it('reads that pod only, unless its health changes: the summary of the node follows from it', async () => {
    const { agent, clock, live, changes, watch } = setUp();
    const [web, db] = [runningPod('web'), runningPod('db')];
    agent.views = [web, db];
    live.state();
    watch();
    const explained: string[] = [];
    const { explain } = agent;
    agent.explain = (uid) => {
      explained.push(uid);
      return explain(uid);
    };
    agent.views = [{ ...web, status: { ...web.status, podIP: '192.0.2.9' } }, db];
    agent.changed(web.pod);
    await clock.advance(150);
    expect(explained).toEqual(['web']);
    expect(changes.map(({ event }) => event)).toEqual(['pod']);

    agent.views = [{ ...web, status: { ...web.status, phase: 'Failed' } }, db];
    agent.changed(web.pod);
    await clock.advance(150);
    expect(changes.map(({ event }) => event)).toEqual(['pod', 'node', 'pod']);
    live.close();
  });
});

describe('without watchers', () => {
  it('only records the timeline, without a timer', async () => {
    const { agent, clock, live } = setUp();
    let asked = 0;
    agent.pods = () => {
      asked += 1;
      return [];
    };
    for (let i = 0; i < 10; i += 1) agent.happened({ text: `${i}` });
    agent.changed();
    await clock.advance(60_000);
    expect([asked, clock.pending]).toEqual([0, 0]);
    expect(live.state().timeline).toHaveLength(10);
  });

  it('does not resume from an earlier state', async () => {
    const { agent, live, watch } = setUp();
    const { id } = live.state();
    agent.happened();
    watch();
    expect(live.changesAfter(id)).toMatchObject([{ event: 'state' }]);
    const second = live.state().id;
    live.unwatch();
    expect(live.changesAfter(second)).toMatchObject([{ event: 'state' }]);
    live.close();
    expect([...agent.listeners.timeline, ...agent.listeners.status, ...agent.listeners.removed]).toEqual([]);
  });
});
