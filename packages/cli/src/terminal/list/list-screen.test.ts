import type { ContainerState, Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { ListModel } from './list-model.js';
import { listScreen, pageOf, type ScreenStyle } from './list-screen.js';
import { initialListState, type ListState } from './list-state.js';
import { podListRow, podsKind, rejectedListRow } from './pods-list.js';

const now = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();

function view(name: string, state: ContainerState, lastState?: ContainerState) {
  const pod: Pod = {
    metadata: { name, namespace: 'default', uid: name, annotations: { 'kubernetes.io/config.seen': at(-300) } },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  };
  const container = { name: 'main', image: '', imageID: '', ready: state.running !== undefined, restartCount: lastState ? 4 : 0, state };
  const status = { phase: 'Running' as const, containerStatuses: [{ ...container, ...(lastState && { lastState }) }] };
  return { pod, status, state: 'SyncPod' as const, lastEvent: undefined };
}

const crashLoop = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=main pod=a_b(u)' } };
const running = { running: { startedAt: at(-60) } };
const manifest = {
  file: '/m/typo.yaml',
  document: 2,
  code: 'InvalidManifest',
  message: '/m/typo.yaml, document 2: spec.containers: Required value',
};
const pulls = [{ podUid: 'pulling', image: 'big:1', state: 'pulling' as const, since: now - 42_000, startedAt: now - 42_000 }];
const views = [
  view('steady', running),
  view('payments-api-with-a-rather-long-name-5d78c9869d-abcde', running),
  view('crash', crashLoop, { terminated: { exitCode: 3, reason: 'Error', startedAt: at(-12), finishedAt: at(-10) } }),
  view('pulling', { waiting: { reason: 'ContainerCreating' } }),
];

const model = (given: Partial<ListModel> = {}): ListModel => ({
  kind: podsKind,
  title: 'node n1 · process · 4 pods, 2 healthy',
  header: [],
  rows: [...views.map((each) => podListRow(each, now, pulls)), rejectedListRow(manifest)],
  notes: [],
  ...given,
});
const draw = (style: Partial<ScreenStyle>, state: Partial<ListState> = {}, given: Partial<ListModel> = {}) =>
  listScreen(model(given), { ...initialListState, ...state }, { width: 100, height: 16, colours: false, ...style });

describe('the screen', () => {
  it('shows unhealthy rows first, rejected manifests, pulls, back-offs and why the selected row is in its state', () => {
    expect(draw({})).toEqual([
      'node n1 · process · 4 pods, 2 healthy',
      '',
      '  POD                         READY  STATUS             RESTARTS     AGE  ACTIVITY',
      '> default/crash               0/1    CrashLoopBackOff   4 (10s ago)  5m   in 30s: main restarts',
      '  typo.yaml#2                 -      InvalidManifest    -            -    /m/typo.yaml, document 2:…',
      '  default/pulling             0/1    ContainerCreating  0            5m   pulling image for 42s: bi…',
      '  default/payments-…9d-abcde  1/1    Running            0            5m   -',
      '  default/steady              1/1    Running            0            5m   -',
      '',
      '',
      '',
      '',
      '',
      'Container main exited with 3 (Error) 10s ago after 4 restarts; its back-off of 40s ends in 30s, at',
      '2026-01-01T00:00:30Z, and the next sync restarts it.',
      'q quit  ? help  Enter describe  l logs  e exec  / filter  s sort: health',
    ]);
  });

  it('shows the reason of a rejected manifest while it is selected', () => {
    const lines = draw({ width: 60 }, { selected: { key: 'typo.yaml#2', index: 1 } });
    expect(lines.slice(-3)).toEqual([
      'InvalidManifest: /m/typo.yaml, document 2: spec.containers:',
      'Required value',
      'q quit  ? help  Enter describe  l logs  e exec  / filter',
    ]);
  });

  it.each([
    [100, 'POD READY STATUS RESTARTS AGE ACTIVITY'],
    [70, 'POD READY STATUS RESTARTS AGE'],
    [56, 'POD READY STATUS RESTARTS'],
    [42, 'POD READY STATUS'],
    [34, 'POD STATUS'],
  ])('drops columns as it narrows to %i columns: activity, age, restarts, ready', (width, heading) => {
    expect(draw({ width })[2]?.trim().split(/ +/).join(' ')).toBe(heading);
  });

  it.each([
    [1, 1],
    [3, 2],
    [10, 3],
    [20, 5],
    [80, 8],
    [200, 50],
  ])('has exactly the size %ix%i', (width, height) => {
    const notes = ['a warning', 'another one'];
    for (const state of [{}, { mode: 'help' as const }, { mode: 'filter' as const, filter: 'r' }]) {
      const lines = draw({ width, height }, state, { header: ['pressure: none'], notes });
      expect(lines).toHaveLength(height);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    }
  });

  it('scrolls with the selected row, and counts what is hidden', () => {
    const rows = Array.from({ length: 50 }, (_, index) => podListRow(view(`pod-${String(index).padStart(2, '0')}`, running), now, []));
    const lines = draw({ height: 10 }, { selected: { key: 'default/pod-30', index: 30 } }, { rows });
    expect(lines.filter((line) => line.includes('pod-')).map((line) => line.slice(0, 16))).toEqual([
      '  default/pod-29',
      '> default/pod-30',
      '  default/pod-31',
    ]);
    expect(lines).toContain('… rows 30 to 32 of 50');
    const unhealthy = [...rows, podListRow(view('crash', crashLoop), now, [])];
    expect(draw({ height: 10 }, { selected: { key: 'default/pod-30', index: 30 } }, { rows: unhealthy })).toContain(
      '… rows 31 to 33 of 51; 1 hidden ones are not healthy',
    );
  });

  it('shows the filter while it is typed and while it applies', () => {
    expect(draw({}, { mode: 'filter', filter: 'cra' }).at(-1)).toBe('filter: cra_');
    const lines = draw({}, { filter: 'cra' });
    expect(lines[1]).toBe('filter "cra": 1 of 5 rows (Esc: all)');
    expect(lines.filter((line) => line.includes('default/'))).toHaveLength(1);
  });

  it('shows the last messages above the keys', () => {
    const notes = ['one', 'two', 'three', 'four', 'five'];
    expect(draw({ height: 20 }, {}, { notes }).slice(-5, -1)).toEqual(['two', 'three', 'four', 'five']);
  });

  it('explains the keys', () => {
    const lines = draw({}, { mode: 'help' });
    expect(lines[0]).toBe('Keys');
    expect(lines).toContain('s                next order: health, name, restarts, newest');
    expect(lines.at(-1)).toBe('any key: back');
  });

  it('marks the selected row without colours too, and inverts it with them', () => {
    const [selected] = draw({ colours: true }).filter((line) => line.includes('default/crash'));
    expect(selected?.startsWith('\x1b[7m> default/crash')).toBe(true);
  });

  it('removes control characters', () => {
    const lines = draw({}, {}, { title: 'node \x1b[2J', notes: ['a\x1b]0;x\x07'] });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may remain
    expect(lines.join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it('pages by the rows that it shows', () => {
    expect(pageOf(model(), { width: 80, height: 24, colours: false })).toBe(19);
    expect(pageOf(model(), { width: 80, height: 2, colours: false })).toBe(1);
  });
});
