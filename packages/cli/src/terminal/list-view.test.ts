import type { PodStatus } from '@nodeagent/api';
import type { NodeAgentEvents, PodView } from '@nodeagent/core/node';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { ViewedAgent } from './agent-view.js';
import { createAgentView } from './create-agent-view.js';
import { interactiveConsole } from './screen/interactive-console.js';
import { createTestTerminal } from './screen/test-terminal.js';

const start = Date.UTC(2026, 0, 1);
const container = { name: 'main', ready: true, restartCount: 0, image: 'host', imageID: '', state: { running: {} } };
const running: PodStatus = { phase: 'Running', startTime: '2026-01-01T00:00:00Z', containerStatuses: [container] };
const waiting: PodStatus = {
  ...running,
  containerStatuses: [{ ...container, ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } }],
};

function openView() {
  const clock = createVirtualClock({ start });
  const terminal = createTestTerminal(80, 14);
  const reasons: string[] = [];
  const console = interactiveConsole(terminal.console);
  if (console === undefined) throw new Error('the test terminal has no keys');
  console.onInterrupt((why) => reasons.push(why));
  const view = createAgentView({
    table: true,
    terminal: { console, run: async () => 0 },
    level: 'info',
    format: 'text',
    console: terminal.console,
    clock,
  });
  const pod = (name: string, status: PodStatus, state: PodView['state'] = 'SyncPod'): PodView => ({
    pod: buildPod({ name, uid: name }),
    status,
    state,
    lastEvent: undefined,
  });
  let reads = 0;
  let pods = [pod('web', running), pod('cache', waiting)];
  const agent: ViewedAgent = {
    pods: () => {
      reads++;
      return pods;
    },
    explain: (uid) => ({
      ...{ fullName: uid, state: 'SyncPod', summary: '', finished: false, updatePending: false },
      backOffs: uid === 'cache' ? [{ container: 'main', reason: 'ImagePullBackOff', until: start + 30_000 }] : [],
    }),
    pulls: () => [],
    runtimeErrors: () => [],
    clusterError: () => undefined,
    on: (event: keyof NodeAgentEvents) => void event,
    off: () => {},
  };
  view.follow(agent, 'node n1 · process');
  return {
    ...terminal,
    view,
    clock,
    reasons,
    reads: () => reads,
    become: (...next: PodView[]) => {
      pods = next;
    },
    pod,
  };
}

it('shows the pods on the alternate screen, counts back-offs down, and shows messages below', async () => {
  const { view, lines, clock } = openView();
  view.print('pods from ./pods');
  view.logger.info('not important');
  await clock.advance(50);
  expect(lines()[0]).toBe('node n1 · process · 2 pods, 1 healthy');
  expect(lines()[3]).toMatch(/^> default\/cache +0\/1 +ImagePullBackOff .* in 30s: main pulls b/);
  expect(lines().at(-2)).toBe('pods from ./pods');
  await clock.advance(10_000);
  expect(lines()[3]).toContain('in 20s: main pulls');
  view.close();
  expect(clock.pending).toBe(0);
});

it('leaves the messages and the stopped pods on the terminal', async () => {
  const { view, clock, become, pod, lines, reasons, type } = openView();
  view.print('pods from ./pods');
  await type('q');
  expect(reasons).toEqual(['SIGINT']);
  view.stopping('stopping all pods');
  become(pod('web', running, 'TerminatingPod'));
  await clock.advance(50);
  expect(lines()[0]).toBe('node n1 · process · stopping: 1 pod left');
  // A second q must not kill the pods; Ctrl-C does.
  await type('q');
  expect(reasons).toEqual(['SIGINT']);
  await type('\x03');
  expect(reasons).toEqual(['SIGINT', 'SIGINT']);
  become();
  view.stopped('all pods have stopped');
  view.close();
  expect(
    lines()
      .filter(Boolean)
      .map((line) => line.replace(/ +/g, ' ')),
  ).toEqual([
    'pods from ./pods',
    'stopping all pods',
    'node n1 · process · all pods have stopped',
    'POD READY STATUS RESTARTS AGE ACTIVITY',
    'default/web 0/1 Stopped 0 0s -',
    'default/cache 0/1 Stopped 0 0s -',
  ]);
});

it('is drawn each second while it counts seconds, and else every ten seconds', async () => {
  const { view, clock, become, pod, reads } = openView();
  become(pod('web', running));
  const readsWithin = async (ms: number) => {
    const before = reads();
    await clock.advance(ms);
    return reads() - before;
  };
  await clock.advance(60_000);
  expect(await readsWithin(20_000)).toBe(20);
  await clock.advance(3_600_000);
  expect(await readsWithin(20_000)).toBe(2);
  view.close();
});
