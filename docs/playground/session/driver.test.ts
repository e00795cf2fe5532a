import type { PodModel } from '@nodeagent/pod-view/cluster';
import { afterEach, expect, it } from 'vitest';
import type { PlaygroundState } from '../state.js';
import { Driver } from './driver.js';
import type { Frame, Report } from './messages.js';

const manifests = `apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: { playground/main: "exit: { after: 7s, code: 1 }" }
spec:
  containers: [{ name: main, image: app:1 }]
`;
const state: PlaygroundState = { manifests, seed: 1, nodes: 1, periods: 'kubelet', actions: [] };

/** A page that shows each frame at once, on a real clock that advances by 20 ms a pause. */
function createPage() {
  let real = 0;
  let turns = 0;
  const frames: Frame[] = [];
  const reports: Report[] = [];
  const texts: string[] = [];
  const pods = new Map<string, PodModel>();
  const driver = new Driver({
    post(report) {
      reports.push(report);
      if (report.type !== 'frame') return;
      const { frame } = report;
      frames.push(frame);
      texts.length = frame.keptEntries ?? texts.length;
      texts.push(...(frame.entries ?? []).map(({ at, text }) => `${at} ${text}`));
      for (const pod of frame.pods ?? []) pods.set(pod.id, pod);
      for (const id of frame.removed ?? []) pods.delete(id);
      driver.receive({ type: 'shown' });
    },
    pause: async () => {
      real += 20;
      if (++turns === 100) driver.receive({ type: 'pause' });
      await new Promise((resolve) => setImmediate(resolve));
    },
    realNow: () => real,
  });
  return { driver, frames, reports, texts, pods };
}

let page: ReturnType<typeof createPage>;
const last = () => page.frames.at(-1);
const until = async (predicate: () => boolean) => expect.poll(predicate, { interval: 1 }).toBe(true);
const open = async () => {
  page = createPage();
  page.driver.receive({ type: 'open', state });
  await until(() => page.frames.length > 0);
};
afterEach(() => page.driver.receive({ type: 'pause' }));

it('plays at a speed until it is paused', async () => {
  await open();
  page.driver.receive({ type: 'play', speed: 100 });
  await until(() => last()?.isPlaying === false);
  expect(last()?.at).toBeGreaterThan(99 * 20 * 100 * 0.9);
  expect(last()?.at).toBeLessThan(101 * 20 * 100);
  expect([...page.pods.values()]).toMatchObject([{ name: 'web' }]);
});

it('sends no frame until the page has shown the last one', async () => {
  const frames: Frame[] = [];
  const driver = new Driver({
    post: (report) => void (report.type === 'frame' && frames.push(report.frame)),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    realNow: () => performance.now(),
  });
  driver.receive({ type: 'open', state });
  await until(() => frames.length === 1);
  driver.receive({ type: 'perform', action: { kind: 'crash', node: 'node-1' } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(frames).toHaveLength(1);
  driver.receive({ type: 'shown' });
  await until(() => frames.length === 2);
});

it('shows after a jump back what it showed then', async () => {
  await open();
  page.driver.receive({ type: 'jump', at: 30_000 });
  await until(() => last()?.at === 30_000 && last()?.isBusy === false);
  const then = { texts: [...page.texts], pods: [...page.pods.values()] };
  page.driver.receive({ type: 'jump', at: 90_000 });
  await until(() => last()?.at === 90_000);
  expect(page.texts.length).toBeGreaterThan(then.texts.length);
  page.driver.receive({ type: 'jump', at: 30_000 });
  await until(() => last()?.at === 30_000 && last()?.isBusy === false);
  expect({ texts: page.texts, pods: [...page.pods.values()] }).toEqual(then);
  // The past was shown before the replay to it had ended.
  const past = page.frames.findLastIndex(({ at, isBusy }) => at === 30_000 && isBusy);
  expect(page.frames[past]).toMatchObject({ keptEntries: then.texts.length, pods: then.pods });
});

it('ends each jump with a frame that is not busy, also one to the present time', async () => {
  await open();
  const { length } = page.frames;
  page.driver.receive({ type: 'jump', at: last()?.at ?? 0 });
  await until(() => page.frames.length > length && last()?.isBusy === false);
});

it('steps, selects, and reports problems of manifests', async () => {
  await open();
  page.driver.receive({ type: 'step' });
  page.driver.receive({ type: 'select', pod: { namespace: 'default', name: 'web' } });
  await until(() => page.frames.some(({ details }) => details?.name === 'web'));
  page.driver.receive({ type: 'check', text: 'a: [', id: 7 });
  await until(() => page.reports.some((report) => report.type === 'problems' && report.check === 7 && report.problems.length === 1));
  page.driver.receive({ type: 'perform', action: { kind: 'apply', manifests: manifests.replace('kind: Pod', 'kind: Pot') } });
  await until(() =>
    page.reports.some((report) => report.type === 'problems' && /no matches for kind "Pot"/.test(report.problems[0]?.message ?? '')),
  );
  expect(page.reports.filter(({ type }) => type === 'failed')).toEqual([]);
});
