import { NodeAgentError } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it, vi } from 'vitest';
import { createLogRotator, type LogRotatorOptions } from './log-rotator.js';
import { createMemoryDisk, type MemoryFile } from './memory-disk.js';

const answered = Symbol('answered');

type Method = 'listContainers' | 'containerStatus' | 'reopenContainerLog';

/** A runtime of containers that log to `/logs/<id>/0.log`. */
function setUp(overrides: Partial<LogRotatorOptions> = {}, injectFault?: (operation: string, path: string) => void) {
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const disk = createMemoryDisk(injectFault);
  const logger = createRecordingLogger();
  const containers = new Map<string, { running: boolean; file: MemoryFile }>();
  const calls: string[] = [];
  /** Called before the runtime handles a call; a fault that returns `answered` replaces the call. */
  const faults = new Map<Method, (id: string, run: () => void) => unknown>();
  const path = (id: string) => `/logs/${id}/0.log`;

  const act = async <T>(method: Method, id: string, run: () => T): Promise<T> => {
    calls.push(`${method} ${id}`.trim());
    const fault = faults.get(method);
    const answer = fault && (await fault(id, run));
    return answer === answered ? ({} as T) : run();
  };
  const cri = {
    listContainers: () =>
      act('listContainers', '', () => ({ containers: [...containers].filter(([, { running }]) => running).map(([id]) => ({ id })) })),
    containerStatus: ({ containerId = '' }) =>
      act('containerStatus', containerId, () => ({
        status: { state: containers.get(containerId)?.running ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED', logPath: path(containerId) },
      })),
    reopenContainerLog: ({ containerId = '' }) =>
      act('reopenContainerLog', containerId, () => {
        const container = containers.get(containerId);
        if (!container?.running) throw new Error('container is not running');
        container.file = disk.open(path(containerId));
        return {};
      }),
  } as unknown as Pick<RuntimeService, Method>;

  const rotator = createLogRotator({
    cri,
    clock,
    files: disk,
    logger,
    ...overrides,
    settings: { containerLogMaxSize: '100', ...overrides.settings },
  });
  const run = (id: string) => containers.set(id, { running: true, file: disk.open(path(id)) });
  const log = (id: string, count: number, from = 0) => {
    for (let line = from; line < from + count; line++) disk.write(containers.get(id)?.file as MemoryFile, String(line).padStart(9, '0'));
  };
  return { clock, disk, logger, containers, calls, faults, rotator, run, log };
}

const numbers = (count: number) => Array.from({ length: count }, (_, line) => String(line).padStart(9, '0'));

describe('a log rotator', () => {
  it('needs files, unless it is off', async () => {
    const cri = { containerStatus: vi.fn(), reopenContainerLog: vi.fn(), listContainers: vi.fn() };
    expect(() => createLogRotator({ cri })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field: 'files' } }));
    const rotator = createLogRotator({ cri, settings: { containerLogMaxSize: '-1' } });
    await rotator.rotateLogs();
    expect(cri.listContainers).not.toHaveBeenCalled();
  });

  it('checks every 10 s, rotates logs that have reached the maximum size, and compresses them at the next rotation', async () => {
    const { clock, disk, rotator, run, log } = setUp();
    run('a');
    log('a', 9);
    await rotator.start();
    await clock.advance(10_000);
    expect(disk.paths()).toEqual(['/logs/a/0.log']);
    log('a', 1, 9);
    await clock.advance(9_999);
    expect(disk.paths()).toEqual(['/logs/a/0.log']);
    await clock.advance(1);
    expect(disk.paths()).toEqual(['/logs/a/0.log', '/logs/a/0.log.20260101-000020']);
    log('a', 10, 10);
    await clock.advance(10_000);
    expect(disk.paths()).toEqual(['/logs/a/0.log', '/logs/a/0.log.20260101-000020.gz', '/logs/a/0.log.20260101-000030']);
    expect(disk.lines('/logs/a/')).toEqual(numbers(20));
    await rotator.stop();
    expect(clock.pending).toBe(0);
  });

  it('keeps the newest five files', async () => {
    const { clock, disk, rotator, run, log } = setUp();
    run('a');
    await rotator.start();
    for (let round = 0; round < 8; round++) {
      log('a', 10, round * 10);
      await clock.advance(10_000);
    }
    const endings = ['', '.20260101-000050.gz', '.20260101-000100.gz', '.20260101-000110.gz', '.20260101-000120'];
    expect(disk.paths()).toEqual(endings.map((ending) => `/logs/a/0.log${ending}`));
    expect(disk.lines('/logs/a/')).toEqual(numbers(80).slice(40));
    await rotator.stop();
  });

  it('makes one runtime call per container while logs are small and the caller lists the containers', async () => {
    const known: string[] = [];
    const { clock, rotator, run, calls } = setUp({ runningContainers: () => known });
    await rotator.start();
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    run('a');
    known.push('a');
    await clock.advance(600_000);
    expect(calls).toEqual(['containerStatus a']);
    await rotator.stop();
  });

  it('does not rotate the log of a container that exited after the check', async () => {
    const { disk, rotator, run, log, containers, calls } = setUp({ runningContainers: () => ['a'] });
    run('a');
    await rotator.rotateLogs();
    log('a', 10);
    const a = containers.get('a');
    if (a) a.running = false;
    await rotator.rotateLogs();
    expect(disk.paths()).toEqual(['/logs/a/0.log']);
    expect(calls).not.toContain('reopenContainerLog a');
  });

  it('makes the runtime reopen a deleted log', async () => {
    const { disk, rotator, run, calls, log } = setUp();
    run('a');
    await disk.remove('/logs/a/0.log');
    await rotator.rotateLogs();
    log('a', 1);
    expect(calls).toContain('reopenContainerLog a');
    expect(disk.lines('/logs/a/0.log')).toEqual(numbers(1));
  });

  it.each(['containerStatus', 'reopenContainerLog'] as const)(
    'does not warn if %s reports that the container was removed',
    async (method) => {
      const { disk, rotator, run, logger, faults } = setUp({ runningContainers: () => ['a'] });
      run('a');
      await rotator.rotateLogs();
      await disk.remove('/logs/a/0.log');
      faults.set(method, () => {
        throw new NodeAgentError('CRI_NOT_FOUND', 'an error occurred when try to find container "a": not found');
      });
      await rotator.rotateLogs();
      expect(logger.messages('warn')).toEqual([]);
    },
  );

  it('does not reopen the removed log of an exited container', async () => {
    const { disk, rotator, run, containers, calls, logger } = setUp({ runningContainers: () => ['a'] });
    run('a');
    await rotator.rotateLogs();
    await disk.remove('/logs/a/0.log');
    const a = containers.get('a');
    if (a) a.running = false;
    await rotator.rotateLogs();
    expect(calls).not.toContain('reopenContainerLog a');
    expect(logger.messages('warn')).toEqual([]);
  });

  it('reopens a log that the runtime does not write only once, and again if the log existed in between', async () => {
    const { clock, disk, rotator, run, calls, faults } = setUp({ runningContainers: () => ['a'] });
    const reopened = () => calls.filter((call) => call === 'reopenContainerLog a').length;
    run('a');
    await disk.remove('/logs/a/0.log');
    faults.set('reopenContainerLog', () => answered);
    await rotator.start();
    await clock.advance(60_000);
    expect(reopened()).toBe(1);
    disk.open('/logs/a/0.log');
    await clock.advance(10_000);
    await disk.remove('/logs/a/0.log');
    await clock.advance(10_000);
    expect(reopened()).toBe(2);
    await rotator.stop();
  });

  it('renames the log back if the runtime fails to reopen it, warns once and retries in the next period', async () => {
    const { clock, disk, rotator, run, log, logger, faults } = setUp();
    run('a');
    log('a', 10);
    faults.set('reopenContainerLog', () => {
      throw new Error('no space left on device');
    });
    await rotator.start();
    await clock.advance(30_000);
    expect(disk.paths()).toEqual(['/logs/a/0.log']);
    expect(logger.texts('warn')).toEqual(['failed to rotate log for container: no space left on device']);
    log('a', 5, 10);
    faults.clear();
    await clock.advance(10_000);
    expect(disk.paths()).toHaveLength(2);
    expect(disk.lines('/logs/a/')).toEqual(numbers(15));
    await rotator.stop();
  });

  it('keeps both logs if the runtime reopened the log although the call failed', async () => {
    const { disk, rotator, run, log, faults } = setUp();
    run('a');
    log('a', 10);
    faults.set('reopenContainerLog', (_id, reopen) => {
      reopen();
      log('a', 1, 10);
      throw new Error('the answer was lost');
    });
    await rotator.rotateLogs();
    expect(disk.paths()).toHaveLength(2);
    expect(disk.lines('/logs/a/').sort()).toEqual(numbers(11));
  });

  it('rotates the current log also if compressing an older one fails', async () => {
    let full = true;
    const { clock, disk, rotator, run, log } = setUp({}, (operation) => {
      if (operation === 'gzip' && full) throw new Error('no space left on device');
    });
    run('a');
    for (const start of [0, 10, 20]) {
      log('a', 10, start);
      await rotator.rotateLogs();
      await clock.advance(1000);
    }
    expect(disk.paths()).toHaveLength(4);
    expect(disk.paths().some((path) => /\.(gz|tmp)$/.test(path))).toBe(false);
    full = false;
    log('a', 10, 30);
    await rotator.rotateLogs();
    expect(disk.paths().filter((path) => path.endsWith('.gz'))).toHaveLength(3);
    expect(disk.lines('/logs/a/').sort()).toEqual(numbers(40));
  });

  it('abandons a runtime call that hangs and continues with the other containers', async () => {
    const { clock, disk, rotator, run, log, faults, logger } = setUp({ runtimeRequestTimeoutMs: 5_000 });
    for (const id of ['a', 'b']) {
      run(id);
      log(id, 10);
    }
    faults.set('reopenContainerLog', (id) => (id === 'a' ? new Promise(() => {}) : undefined));
    await rotator.start();
    await clock.advance(15_000);
    expect(disk.paths()).toEqual(['/logs/a/0.log', '/logs/b/0.log', '/logs/b/0.log.20260101-000015']);
    expect(logger.texts().some((text) => text.includes('the runtime did not respond within 5 s'))).toBe(true);
    await rotator.stop();
  });

  it('renames the log back when it is stopped during a rotation', async () => {
    const { clock, disk, rotator, run, log, faults } = setUp();
    run('a');
    log('a', 10);
    faults.set('reopenContainerLog', () => new Promise(() => {}));
    await rotator.start();
    await clock.advance(10_000);
    expect(disk.paths()).toEqual(['/logs/a/0.log.20260101-000010']);
    await rotator.stop();
    expect(disk.paths()).toEqual(['/logs/a/0.log']);
    expect(clock.pending).toBe(0);
  });

  it('takes no further step, and warns of nothing, when it is stopped during a compression', async () => {
    const { clock, disk, rotator, run, log, logger } = setUp();
    run('a');
    log('a', 10);
    await rotator.start();
    await clock.advance(10_000);
    log('a', 10, 10);
    const before = disk.paths();
    const { gzip } = disk;
    disk.gzip = async (...file) => {
      void rotator.stop();
      file[2]?.throwIfAborted();
      return gzip(...file);
    };
    await clock.advance(10_000);
    await rotator.stop();
    expect([disk.paths(), logger.texts('warn')]).toEqual([before, []]);
  });

  it('rotates at most containerLogMaxWorkers logs concurrently, and queues a container once', async () => {
    const { clock, rotator, run, log, faults, calls } = setUp({ settings: { containerLogMaxWorkers: 2 } });
    for (const id of ['a', 'b', 'c']) {
      run(id);
      log(id, 10);
    }
    faults.set('reopenContainerLog', () => clock.sleep(25_000));
    await rotator.start();
    await clock.advance(34_999);
    expect(calls.filter((call) => call.startsWith('reopen'))).toEqual(['reopenContainerLog a', 'reopenContainerLog b']);
    await clock.advance(1);
    expect(calls.filter((call) => call.startsWith('reopen'))).toHaveLength(3);
    await rotator.stop();
  });

  it('queues no container again while its log is in rotation, also with free workers', async () => {
    const { clock, rotator, run, log, faults, calls } = setUp({ settings: { containerLogMaxWorkers: 3 } });
    run('a');
    log('a', 10);
    faults.set('reopenContainerLog', () => clock.sleep(45_000));
    await rotator.start();
    await clock.advance(54_999);
    expect(calls.filter((call) => call.endsWith(' a'))).toEqual(['containerStatus a', 'containerStatus a', 'reopenContainerLog a']);
    await clock.advance(1);
    log('a', 10, 10);
    await clock.advance(10_000);
    expect(calls.filter((call) => call.startsWith('reopen'))).toHaveLength(2);
    await rotator.stop();
  });

  it('does nothing with a negative size or after its signal has aborted', async () => {
    const off = setUp({ settings: { containerLogMaxSize: '-1' } });
    await off.rotator.start();
    expect(off.clock.pending).toBe(0);
    const { clock, rotator, calls } = setUp();
    const controller = new AbortController();
    await rotator.start(controller.signal);
    await rotator.start();
    expect(clock.pending).toBe(1);
    controller.abort();
    await clock.settle();
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(calls).toEqual([]);
  });

  it.each([
    [{ containerLogMaxFiles: 1 }, 'containerLogMaxFiles', 'invalid configuration: containerLogMaxFiles must be greater than 1'],
    [
      { containerLogMaxWorkers: 0 },
      'containerLogMaxWorkers',
      'invalid configuration: containerLogMaxWorkers must be greater than or equal to 1',
    ],
    [
      { containerLogMonitorIntervalMs: 2_999 },
      'containerLogMonitorIntervalMs',
      'invalid configuration: containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
    ],
    [{ containerLogMaxSize: 'ten' }, 'containerLogMaxSize', /^failed to parse container log configuration "containerLogMaxSize": ten: /],
  ])('rejects %j', (settings, field, message) => {
    expect(() => setUp({ settings })).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        message: expect.stringMatching(message),
        details: { field: `settings.${field}` },
      }),
    );
  });

  it.each([
    [{ runtimeRequestTimeoutMs: 0 }, 'runtimeRequestTimeoutMs'],
    [{ cri: {} }, 'cri.containerStatus'],
  ])('rejects %j', (wrong, field) => {
    expect(() => setUp(wrong as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

it('neither loses nor duplicates a line under random faults', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    let faulty = true;
    const flip = (what: string) => {
      if (faulty && random() < 0.15) throw new Error(`${what} failed`);
    };
    const { clock, disk, rotator, run, log, faults } = setUp({ settings: { containerLogMaxFiles: 1000 } }, flip);
    faults.set('listContainers', () => flip('list'));
    faults.set('containerStatus', () => flip('status'));
    faults.set('reopenContainerLog', (_id, reopen) => {
      if (faulty && random() < 0.2) reopen();
      flip('reopen');
    });
    run('a');
    await rotator.start();
    let lines = 0;
    for (let round = 0; round < 40; round++) {
      const count = Math.floor(random() * 15);
      log('a', count, lines);
      lines += count;
      if (random() < 0.2) clock.jump((random() - 0.5) * 100_000);
      await clock.advance(5_000);
    }
    faulty = false;
    for (const _ of [1, 2]) {
      log('a', 10, lines);
      lines += 10;
      await clock.advance(10_000);
    }
    await rotator.stop();
    const unfinished = disk.paths().filter((path) => path.endsWith('.tmp'));
    const doubled = disk.paths().filter((path) => disk.paths().includes(`${path}.gz`));
    expect({ seed, unfinished, doubled }).toEqual({ seed, unfinished: [], doubled: [] });
    expect(disk.lines('/logs/a/').sort(), `seed ${seed}`).toEqual(numbers(lines));
  }
});
