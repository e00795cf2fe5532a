import type { Pod } from '@nodeagent/api';
import { afterEach, describe, expect, it } from 'vitest';
import { checkManifests } from '../session/check-manifests.js';
import { Session } from '../session/session.js';
import { stateProblem } from '../state.js';
import { lessons } from './index.js';

let session: Session;
const open = async (id: string) => {
  const lesson = lessons.find((each) => each.id === id);
  if (lesson === undefined) throw new Error(`no lesson "${id}"`);
  const problems: unknown[] = [];
  session = await Session.create({ state: lesson.state, onProblems: (found) => problems.push(...found) });
  expect(problems).toEqual([]);
};
afterEach(() => session?.stop());

const seconds = (at: number) => session.advanceTo(at * 1000);
const pod = (name: string) => session.read().pods.find((each) => each.name === name);
const object = (name: string, namespace?: string) => session.cluster.pod(name, namespace) as Pod;
/** The times of the entries with a text, in seconds. */
const timesOf = (text: RegExp) => session.entries.filter((entry) => text.test(entry.text)).map(({ at }) => at / 1000);
const containerStatus = (name: string, container = 'main') =>
  object(name).status?.containerStatuses?.find((each) => each.name === container);

describe.each(lessons)('the lesson $id', ({ state, text, exercise, playMs }) => {
  it('has a valid state and a short text', async () => {
    expect(stateProblem(state)).toBeUndefined();
    expect(await checkManifests(state.manifests)).toEqual([]);
    for (const action of state.actions) if (action.kind === 'apply') expect(await checkManifests(action.manifests)).toEqual([]);
    expect(text.length + exercise.length).toBeLessThan(600);
    expect(Math.max(0, ...state.actions.map(({ at }) => at))).toBeLessThan(playMs);
  });
});

it('crash loop: the delays before restarts double', async () => {
  await open('crash-loop');
  await seconds(300);
  expect(pod('crashing')).toMatchObject({ status: 'CrashLoopBackOff' });
  const starts = timesOf(/^CRI startContainer/);
  const delays = starts.slice(1).map((at, index) => at - (starts[index] ?? 0) - 5);
  expect(delays).toHaveLength(5);
  // A pod worker notices the end of a back-off at its next sync.
  for (const [index, backOff] of [0, 10, 20, 40, 80].entries()) {
    expect(delays[index]).toBeGreaterThanOrEqual(backOff);
    expect(delays[index]).toBeLessThan(backOff + 15);
  }
});

it('image errors: back-off, then the corrected image starts in the same pod', async () => {
  await open('image-errors');
  await seconds(60);
  const { uid } = object('typo').metadata ?? {};
  expect(pod('typo')?.status).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
  expect(timesOf(/not found/).length).toBeGreaterThan(1);
  await seconds(240);
  expect(pod('typo')).toMatchObject({ id: uid, status: 'Running', ready: '1/1' });
});

it('probes: started after 20 s, ready, unready when answers stop, then restarted', async () => {
  await open('probes');
  await seconds(15);
  expect(pod('slow-start')).toMatchObject({ status: 'Running', ready: '0/1', restarts: 0 });
  await seconds(60);
  expect(pod('slow-start')).toMatchObject({ ready: '1/1', restarts: 0 });
  await seconds(100);
  expect(pod('slow-start')).toMatchObject({ ready: '0/1', restarts: 0 });
  await seconds(150);
  expect(pod('slow-start')).toMatchObject({ restarts: 1 });
});

it('init containers: in order, one retry, a sidecar beside the job, and completion', async () => {
  await open('init-containers');
  await seconds(6);
  expect(pod('with-sidecar')?.status).toMatch(/^Init:/);
  await seconds(60);
  expect(pod('with-sidecar')).toMatchObject({ status: 'Running', ready: '2/2' });
  expect(object('with-sidecar').status?.initContainerStatuses?.[0]).toMatchObject({ name: 'migrate', restartCount: 1 });
  await seconds(120);
  expect(pod('with-sidecar')).toMatchObject({ status: 'Completed', level: 'done' });
});

it('rolling update: four pods are ready all the time, and all have the new image', async () => {
  await open('rolling-update');
  await seconds(30);
  expect(session.read().workloads).toMatchObject([{ kind: 'Deployment', ready: 4, desired: 4 }]);
  let most = 0;
  for (let at = 31; at <= 120; at++) {
    await seconds(at);
    const { workloads, pods } = session.read();
    expect(workloads[0]?.ready, `at ${at} s`).toBeGreaterThanOrEqual(4);
    most = Math.max(most, pods.filter(({ status }) => status !== 'Terminating' && status !== 'Completed').length);
  }
  expect(most).toBe(5);
  expect(session.cluster.pods().map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(Array(4).fill('shop:2'));
});

it('resize: without a restart, and infeasible above the node', async () => {
  await open('resize');
  await seconds(50);
  expect(containerStatus('web')).toMatchObject({
    restartCount: 0,
    allocatedResources: { cpu: '2' },
    resources: { requests: { cpu: '2' } },
  });
  await seconds(90);
  expect(containerStatus('web')).toMatchObject({ restartCount: 0, allocatedResources: { cpu: '2' } });
  const condition = object('web').status?.conditions?.find(({ type }) => type === 'PodResizePending');
  expect(condition).toMatchObject({ status: 'True', reason: 'Infeasible' });
});

it('graceful shutdown: ordinary pods first, one is killed, critical pods last', async () => {
  await open('graceful-shutdown');
  await seconds(90);
  const exit = (name: string, namespace?: string) => object(name, namespace).status?.containerStatuses?.[0]?.state?.terminated;
  const secondsOf = (time: unknown) => (Date.parse(String(time)) - Date.UTC(2026, 0, 1)) / 1000;
  expect(exit('polite')).toMatchObject({ exitCode: 0 });
  expect(Math.round(secondsOf(exit('polite')?.finishedAt))).toBe(38);
  expect(exit('deaf')).toMatchObject({ exitCode: 137 });
  expect(Math.round(secondsOf(exit('deaf')?.finishedAt))).toBe(50);
  expect(secondsOf(exit('critical', 'kube-system')?.finishedAt)).toBeGreaterThanOrEqual(50);
});

it('node loss: unknown after 50 s, pods elsewhere after 300 s, the old ones end when the node is back', async () => {
  await open('node-loss');
  await seconds(100);
  expect(session.read().nodes[0]).toMatchObject({ level: 'bad', status: 'Ready, agent down' });
  await seconds(120);
  expect(session.read().nodes[0]).toMatchObject({ status: 'Unknown, agent down' });
  expect(session.read().pods.every(({ status }) => status === 'Running')).toBe(true);
  await seconds(480);
  expect(session.read().workloads).toMatchObject([{ ready: 3 }]);
  expect(session.read().pods.some(({ node, status }) => node === 'node-1' && status === 'Terminating')).toBe(true);
  await seconds(720);
  expect(session.read().pods.map(({ node }) => node)).not.toContain('node-1');
  expect(session.read().nodes[0]).toMatchObject({ status: 'Ready' });
});

it('eviction: the hog is evicted, the steady pod stays', async () => {
  await open('eviction');
  await seconds(270);
  expect(session.read().nodes[0]?.status).toMatch(/MemoryPressure/);
  await seconds(720);
  expect(object('hog').status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  expect(pod('steady')).toMatchObject({ status: 'Running', restarts: 0 });
  expect(session.read().nodes[0]).toMatchObject({ status: 'Ready' });
});

it('finalizer: the pod terminates and stays until its finalizer is removed', async () => {
  await open('finalizer');
  await seconds(100);
  expect(pod('held')?.status).toMatch(/^(Terminating|Completed|Error)$/);
  expect(object('held').status?.containerStatuses?.[0]?.state?.terminated).toBeDefined();
  await seconds(150);
  expect(pod('held')).toBeUndefined();
});
