import { NodeAgentError, type Pod, type PodStatus } from '@nodeagent/api';
import type { NodeAgentEvents, PodView, RecordedEvent } from '@nodeagent/core/node';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { LogFormat, LogLevel } from '../log.js';
import { createTestConsole } from '../test-console.js';
import type { ViewedAgent } from './agent-view.js';
import { createAgentView } from './create-agent-view.js';

const start = Date.UTC(2026, 0, 1);

/** An agent that only emits events. */
function createFakeAgent() {
  const listeners: { [E in keyof NodeAgentEvents]: NodeAgentEvents[E][] } = {
    event: [],
    status: [],
    removed: [],
    runtime: [],
    cluster: [],
    timeline: [],
  };
  const views = new Map<string, PodView>();
  let errors: string[] = [];
  let clusterError: string | undefined;
  const agent: ViewedAgent = {
    pods: () => [...views.values()],
    explain: () => undefined,
    pulls: () => [],
    runtimeErrors: () => errors,
    clusterError: () => clusterError,
    on: (event, listener) => void listeners[event].push(listener),
    off: () => {},
  };
  const name = (pod: Pod) => pod.metadata?.name ?? '';
  return {
    agent,
    status(pod: Pod, status: PodStatus, state: PodView['state'] = 'SyncPod') {
      views.set(name(pod), { pod, status, state, lastEvent: views.get(name(pod))?.lastEvent });
      for (const listener of listeners.status) listener(pod, status);
    },
    event(pod: Pod, event: Pick<RecordedEvent, 'at' | 'type' | 'reason' | 'message'>, container?: string) {
      const object = {
        kind: 'Pod',
        namespace: pod.metadata?.namespace ?? '',
        name: name(pod),
        uid: pod.metadata?.uid ?? '',
        ...(container && { fieldPath: `spec.containers{${container}}` }),
      };
      const view = views.get(name(pod));
      if (view) view.lastEvent = { ...event, object };
      for (const listener of listeners.event) listener({ ...event, object });
    },
    removed(pod: Pod) {
      views.delete(name(pod));
      for (const listener of listeners.removed) listener(pod);
    },
    runtime(now: string[]) {
      errors = now;
      for (const listener of listeners.runtime) listener(now);
    },
  };
}

const web = buildPod({ name: 'web' });
const running: PodStatus = {
  phase: 'Running',
  startTime: '2026-01-01T00:00:00Z',
  containerStatuses: [{ name: 'main', ready: true, restartCount: 2, image: 'host', imageID: '', state: { running: {} } }],
};
const crashed = (containerID: string): PodStatus => ({
  ...running,
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 2,
      image: 'host',
      imageID: '',
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 3, reason: 'Error', containerID } },
    },
  ],
});

describe('the lines', () => {
  function lines(level: LogLevel = 'info', format: LogFormat = 'text') {
    const clock = createVirtualClock({ start });
    const { console, stdout } = createTestConsole();
    const view = createAgentView({ table: false, level, format, console, clock });
    const fake = createFakeAgent();
    view.follow(fake.agent, 'node n1');
    stdout.writes.length = 0;
    return {
      ...fake,
      view,
      clock,
      texts: () =>
        stdout.text
          .split('\n')
          .slice(0, -1)
          .map((line) => line.replace(/^\S+Z /, '')),
    };
  }

  it('log events, phases, terminations and removed pods, each once', () => {
    const { status, event, removed, texts } = lines();
    status(web, { phase: 'Pending' });
    event(web, { at: start, type: 'Normal', reason: 'Pulled', message: 'Container image "host" already present on machine' }, 'main');
    event(web, { at: start, type: 'Normal', reason: 'Created', message: 'Container created' }, 'main');
    event(web, { at: start, type: 'Normal', reason: 'Started', message: 'Container started' }, 'main');
    status(web, running);
    status(web, running);
    status(web, crashed('c://1'));
    status(web, crashed('c://1'));
    removed(web);
    expect(texts()).toEqual([
      'INFO  default/web phase Pending',
      'INFO  default/web/main Started: Container started',
      'INFO  default/web phase Running',
      'INFO  default/web/main terminated with exit code 3 (Error)',
      'INFO  default/web removed',
    ]);
  });

  it("omit terminations from before the agent's start", () => {
    const { status, texts } = lines();
    status(web, crashed('c://1'));
    expect(texts()).toEqual(['INFO  default/web phase Running']);
  });

  it('log a repeated warning once a minute, and every start', async () => {
    const { event, clock, texts } = lines();
    for (let count = 0; count < 7; count++) {
      event(web, { at: start, type: 'Warning', reason: 'BackOff', message: 'Back-off restarting' }, 'main');
      event(web, { at: start, type: 'Normal', reason: 'Started', message: 'Container started' }, 'main');
      await clock.advance(10_001);
    }
    expect(texts().filter((line) => line.includes('BackOff'))).toHaveLength(2);
    expect(texts().filter((line) => line.includes('Started'))).toHaveLength(7);
  });

  it('log a cause that several components report once for each pod', () => {
    const { event, view, texts } = lines();
    const cause = 'image "nginx" is not available';
    for (const pod of [web, buildPod({ name: 'other' })]) {
      event(pod, { at: start, type: 'Warning', reason: 'Failed', message: `Failed to pull image "nginx": ${cause}` }, 'main');
      event(pod, { at: start, type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' }, 'main');
      view.logger.warn({ err: new Error(cause) }, 'image pull failed');
      view.logger.error({ pod: 'default/web', err: new Error(cause) }, 'error syncing pod');
    }
    expect(texts()).toEqual([
      `WARN  default/web/main Failed: Failed to pull image "nginx": ${cause}`,
      `WARN  default/other/main Failed: Failed to pull image "nginx": ${cause}`,
    ]);
  });

  it('log once that the runtime is unreachable, and once that it is ready again', () => {
    const { runtime, view, texts } = lines();
    const cause = 'connect ENOENT /run/x.sock';
    view.logger.warn({ err: new NodeAgentError('CRI_UNAVAILABLE', cause, { hint: 'start it' }) }, 'container runtime does not answer');
    runtime([`${cause} (start it)`]);
    view.logger.error({ err: new Error(cause) }, 'cannot list pods');
    runtime([]);
    expect(texts()).toEqual([`WARN  container runtime does not answer: ${cause} (start it)`, 'INFO  container runtime ready']);
  });

  it('suppress nothing at level debug', () => {
    const { event, texts } = lines('debug');
    for (let count = 0; count < 2; count++) event(web, { at: start, type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' });
    event(web, { at: start, type: 'Normal', reason: 'Created', message: 'Container created' });
    expect(texts()).toHaveLength(3);
  });

  it('are JSON with the format json', () => {
    const { event, texts } = lines('info', 'json');
    event(web, { at: start, type: 'Normal', reason: 'Started', message: 'Container started' }, 'main');
    expect(JSON.parse(texts()[0] ?? '')).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      msg: 'Started: Container started',
      pod: 'default/web',
      containerName: 'main',
    });
  });
});

describe('the table', () => {
  function table(options: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv; level?: LogLevel } = {}) {
    const { level = 'info', ...size } = options;
    const clock = createVirtualClock({ start });
    const { console, stdout } = createTestConsole({ isTTY: true, columns: 100, rows: 24, env: { TERM: 'xterm' }, ...size });
    const view = createAgentView({ table: true, level, format: 'text', console, clock });
    const fake = createFakeAgent();
    /** The lines of the last drawing. */
    const screen = () => {
      const last = stdout.writes.at(-1) ?? '';
      return strip(last).split('\n').slice(0, -1);
    };
    return { ...fake, view, clock, stdout, screen };
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
  const strip = (text: string) => text.replace(/\x1b\[[?\d;]*[A-Za-z]|\r/g, '');

  it('shows node, runtime, pods and their last events, and updates ages', async () => {
    const { view, agent, status, event, clock, screen } = table();
    view.follow(agent, 'node n1 · embedded runtime');
    expect(screen()[0]).toBe('node n1 · embedded runtime · no pods');
    status(web, running);
    event(web, { at: start, type: 'Normal', reason: 'Pulling', message: 'Pulling image "big"' });
    await clock.advance(50);
    expect(screen()).toEqual([
      'node n1 · embedded runtime · 1 pod, all healthy',
      '',
      'POD          READY  STATUS   RESTARTS  AGE  LAST EVENT',
      'default/web  1/1    Running  2         0s   0s ago Pulling: Pulling image "big"',
    ]);
    await clock.advance(12_000);
    expect(screen()[3]).toBe('default/web  1/1    Running  2         12s  12s ago Pulling: Pulling image "big"');
    view.close();
    expect(clock.pending).toBe(0);
  });

  it('batches simultaneous changes into one drawing, and draws only after changes', async () => {
    const { view, agent, status, clock, stdout } = table();
    view.follow(agent, 'node n1');
    const { length } = stdout.writes;
    for (let count = 0; count < 50; count++) status(buildPod({ name: `pod-${count}` }), { phase: 'Pending' });
    await clock.advance(900);
    expect(stdout.writes.length).toBe(length + 1);
  });

  it("shows the runtime's error", async () => {
    const { view, agent, runtime, clock, screen } = table();
    view.follow(agent, 'node n1');
    runtime(['connect ENOENT /run/x.sock']);
    await clock.advance(50);
    expect(screen()[0]).toBe('node n1 · connect ENOENT /run/x.sock');
  });

  it('prints warnings above the table, in full', () => {
    const { view, agent, event, screen } = table({ columns: 40 });
    view.follow(agent, 'node n1');
    const message = `a long story ${'about this '.repeat(10)}`.trim();
    event(web, { at: start, type: 'Warning', reason: 'Failed', message });
    event(web, { at: start, type: 'Normal', reason: 'Started', message: 'Container started' });
    expect(screen()[0]).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d WARN  default/web Failed: ${message}$`));
    expect(screen()[1]).toBe('node n1 · no pods');
  });

  it('shows the stopping of pods and keeps removed ones on the screen', async () => {
    const { view, agent, status, removed, clock, screen } = table();
    const job = buildPod({ name: 'job' });
    status(web, running);
    status(job, { phase: 'Succeeded' }, 'TerminatedPod');
    view.follow(agent, 'node n1');
    view.stopping('stopping');
    expect(screen()[0]).toBe('node n1 · stopping: 1 pod left');
    status(web, crashed('c://1'), 'TerminatingPod');
    await clock.advance(50);
    expect(screen().at(-1)).toMatch(/^default\/web +0\/1 +Terminating/);
    removed(web);
    removed(job);
    view.stopped('all pods have stopped');
    view.close();
    expect(screen()[0]).toBe('node n1 · all pods have stopped');
    expect(screen().at(-1)).toMatch(/^default\/web +0\/1 +Stopped/);
  });

  it('fits every size, also after a change of it', async () => {
    const { view, agent, status, clock, stdout, screen } = table({ columns: 120, rows: 40 });
    for (let count = 0; count < 30; count++) status(buildPod({ name: `a-pod-with-a-long-name-${count}` }), running);
    status(buildPod({ name: 'the-last-one-which-crashes' }), crashed('c://1'));
    view.follow(agent, 'node n1 · embedded runtime');
    for (const [columns, rows] of [
      [80, 24],
      [60, 10],
      [20, 5],
      [1, 1],
      [200, 60],
    ] as const) {
      stdout.resize(columns, rows);
      await clock.advance(50);
      for (const line of screen()) expect(line.length).toBeLessThanOrEqual(columns);
      expect(screen().length).toBeLessThanOrEqual(Math.max(1, rows - 1));
      if (rows > 8) expect(screen().join('\n')).toContain('CrashLoopBackOff');
    }
  });

  it('has colours on a terminal, none with NO_COLOR', async () => {
    const drawn = async (env: NodeJS.ProcessEnv) => {
      const { view, agent, status, stdout, clock } = table({ env });
      status(web, running);
      view.follow(agent, 'node n1');
      await clock.advance(50);
      return stdout.writes.join('');
    };
    expect(await drawn({ TERM: 'xterm' })).toContain('\x1b[32m');
    expect(await drawn({ TERM: 'xterm', NO_COLOR: '1' })).not.toContain('\x1b[3');
    expect(await drawn({ TERM: 'dumb' })).not.toContain('\x1b[3');
  });

  it('leaves cursor and wrapping as they were after each drawing', () => {
    const { view, agent, stdout } = table();
    view.follow(agent, 'node n1');
    view.print('a line');
    view.close();
    for (const text of stdout.writes) {
      expect(text.startsWith('\x1b[?25l')).toBe(true);
      expect(text.endsWith('\x1b[?7h\x1b[?25h')).toBe(true);
    }
  });
});
