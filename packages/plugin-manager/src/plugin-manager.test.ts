import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PluginSocket } from './plugin-folder.js';
import type { PluginHandler, PluginInfo } from './plugin-handler.js';
import { createPluginManager } from './plugin-manager.js';

/** A manager over a folder in memory; `infos` and `faults` control what its plugins and its handler answer. */
async function setUp() {
  const clock = createVirtualClock();
  const sockets = new Map<string, string>();
  const infos = new Map<string, Partial<PluginInfo>>();
  const faults = new Map<string, () => Promise<void> | void>();
  const log: string[] = [];
  let changed = () => {};

  const fault = async (name: string) => faults.get(name)?.();
  const handler: PluginHandler = {
    validate: async (name) => {
      await fault('validate');
      log.push(`validate ${name}`);
    },
    register: async (name, endpoint, versions) => {
      log.push(`register ${name} ${endpoint} ${versions}`);
      await fault('register');
    },
    deregister: async (name) => {
      log.push(`deregister ${name}`);
      await fault('deregister');
    },
  };
  const manager = createPluginManager({
    folder: {
      scan: async (): Promise<PluginSocket[]> => [...sockets].map(([path, id]) => ({ path, id })),
      onChange: (listener) => {
        changed = listener;
        return () => {
          changed = () => {};
        };
      },
    },
    handlers: { CSIPlugin: handler },
    client: {
      getInfo: async (path) => {
        await fault('getInfo');
        return { type: 'CSIPlugin', name: path.slice(1), endpoint: '', supportedVersions: ['1.0.0'], ...infos.get(path) };
      },
      notifyRegistrationStatus: async (_, { pluginRegistered, error }) => {
        await fault('notify');
        log.push(pluginRegistered ? 'notified: registered' : `notified: ${error}`);
      },
    },
    clock,
  });
  await manager.start();
  onTestFinished(() => manager.stop());
  return {
    clock,
    manager,
    infos,
    faults,
    /** What happened since the last call. */
    took: () => log.splice(0),
    async put(path: string, id = '1') {
      sockets.set(path, id);
      changed();
      await clock.settle();
    },
    async remove(path: string) {
      sockets.delete(path);
      changed();
      await clock.settle();
    },
  };
}

const fails = (message: string) => () => Promise.reject(new Error(message));

describe('createPluginManager', () => {
  it('registers a plugin when its socket is created and unregisters it when the socket is removed', async () => {
    const { put, remove, took, manager } = await setUp();
    await put('/a');
    expect(took()).toEqual(['validate a', 'register a /a 1.0.0', 'notified: registered']);
    expect(manager.plugins()).toEqual([{ socketPath: '/a', type: 'CSIPlugin', name: 'a', endpoint: '/a' }]);
    await put('/a');
    expect(took()).toEqual([]);
    await remove('/a');
    expect(took()).toEqual(['deregister a']);
    expect(manager.plugins()).toEqual([]);
  });

  it('unregisters a plugin with a re-created socket before it registers it again', async () => {
    const { put, took } = await setUp();
    await put('/a', '1');
    took();
    await put('/a', '2');
    expect(took()).toEqual(['deregister a', 'validate a', 'register a /a 1.0.0', 'notified: registered']);
  });

  it('passes the endpoint that the plugin reports to the handler', async () => {
    const { put, infos, took } = await setUp();
    infos.set('/a', { endpoint: '/csi.sock' });
    await put('/a');
    expect(took()).toContain('register a /csi.sock 1.0.0');
  });

  it('notifies a rejected plugin of the reason and retries with exponential back-off', async () => {
    const { put, took, faults, clock, manager } = await setUp();
    faults.set('validate', fails('too old'));
    await put('/a');
    const refusal = 'notified: RegisterPlugin error -- plugin validation failed with err: too old';
    expect(took()).toEqual([refusal]);
    await clock.advance(499);
    expect(took()).toEqual([]);
    await clock.advance(1);
    expect(took()).toEqual([refusal]);
    await clock.advance(999);
    expect(took()).toEqual([]);
    faults.clear();
    await clock.advance(1);
    expect(took()).toEqual(['validate a', 'register a /a 1.0.0', 'notified: registered']);
    expect(manager.plugins()).toHaveLength(1);
  });

  it('rejects a plugin whose type has no handler', async () => {
    const { put, infos, took, manager } = await setUp();
    infos.set('/a', { type: 'Toaster' });
    await put('/a');
    expect(took()).toEqual(['notified: RegisterPlugin error -- no handler registered for plugin type: Toaster at socket /a']);
    expect(manager.plugins()).toEqual([]);
  });

  it('forgets a plugin whose registration fails', async () => {
    const { put, took, faults, manager } = await setUp();
    faults.set('register', fails('no node'));
    await put('/a');
    expect(took()).toEqual([
      'validate a',
      'register a /a 1.0.0',
      'notified: RegisterPlugin error -- plugin registration failed with err: no node',
    ]);
    expect(manager.plugins()).toEqual([]);
  });

  it('deregisters a plugin that cannot be notified of its registration', async () => {
    const { put, took, faults, clock, manager } = await setUp();
    faults.set('notify', fails('connection lost'));
    await put('/a');
    expect(took()).toEqual(['validate a', 'register a /a 1.0.0', 'deregister a']);
    faults.clear();
    await clock.advance(500);
    expect(took().at(-1)).toBe('notified: registered');
    expect(manager.plugins()).toHaveLength(1);
  });

  it('keeps a registration if the manager stops while it notifies the plugin', async () => {
    const { put, took, faults, manager } = await setUp();
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    faults.set('notify', () => waiting.then(fails('aborted')));
    await put('/a');
    const stopped = manager.stop();
    release();
    await stopped;
    expect(took()).toEqual(['validate a', 'register a /a 1.0.0']);
  });

  it('registers other plugins while one hangs, and deregisters the hanging one once its socket is removed', async () => {
    const { put, remove, took, faults } = await setUp();
    let release = () => {};
    faults.set('register', () => {
      faults.clear();
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    await put('/slow');
    await put('/quick');
    await remove('/slow');
    expect(took()).toEqual([
      'validate slow',
      'register slow /slow 1.0.0',
      'validate quick',
      'register quick /quick 1.0.0',
      'notified: registered',
    ]);
    release();
    await expect.poll(() => took()).toEqual(['notified: registered', 'deregister slow']);
  });

  it('lists a plugin while it is being registered, and registers it again if its socket was re-created meanwhile', async () => {
    const { put, took, faults, manager } = await setUp();
    let release = () => {};
    faults.set('register', () => {
      faults.clear();
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    await put('/slow', '1');
    expect(manager.plugins().map(({ name }) => name)).toEqual(['slow']);
    await put('/slow', '2');
    took();
    release();
    const again = ['notified: registered', 'deregister slow', 'validate slow', 'register slow /slow 1.0.0', 'notified: registered'];
    const seen: string[] = [];
    await expect.poll(() => seen.push(...took()) && seen).toEqual(again);
  });

  it('registers nothing again while the folder is unchanged, with one timer for the next scan', async () => {
    const { put, took, clock } = await setUp();
    await put('/a');
    took();
    await clock.advance(3_600_000);
    expect(took()).toEqual([]);
    expect(clock.pending).toBe(1);
  });

  it('can be started and stopped repeatedly', async () => {
    const { manager, clock, put, took } = await setUp();
    await manager.start();
    await manager.stop();
    await manager.stop();
    expect(clock.pending).toBe(0);
    await put('/a');
    expect(took()).toEqual([]);
    await manager.start();
    await clock.settle();
    expect(took().at(-1)).toBe('notified: registered');
  });
});

it('refuses a rescan period of 0', () => {
  const folder = { scan: async () => [], onChange: () => () => {} };
  expect(() => createPluginManager({ folder, handlers: {}, rescanPeriodMs: 0 })).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field: 'rescanPeriodMs' } }),
  );
});
