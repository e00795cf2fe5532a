import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openImageStore } from '@nodeagent/image-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OciRuntimeOptions } from './oci-runtime.js';
import { canRunContainers, createTestMachine, type TestMachine } from './test-machine.js';

/** An object with others in the place of some methods. */
function withMethods<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value = Reflect.get(name in methods ? methods : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe.runIf(canRunContainers)('a start of the runtime that fails', () => {
  let machine: TestMachine;
  let calls: string[];
  beforeEach(() => {
    machine = createTestMachine();
    calls = [];
  });
  afterEach(() => machine.remove());

  /** Options whose calls are recorded. */
  const recorded = (step: string): Partial<OciRuntimeOptions> => {
    const call = (name: string) => {
      calls.push(name);
      if (name === step) throw new Error(`${name} fails`);
    };
    const { cni } = machine.options;
    const start = async (signal?: AbortSignal) => {
      call('cni.start');
      await cni.start(signal);
    };
    const stop = async () => {
      await cni.stop();
      call('cni.stop');
    };
    return {
      cni: withMethods(cni, { start, stop }),
      async images(options) {
        call('images.open');
        const store = await openImageStore(options);
        const close = async () => {
          await store.close();
          call('images.close');
        };
        return withMethods(store, { close });
      },
      ...(step === 'programs' && { runtime: 'no-such-runtime' }),
    };
  };

  it.each([
    ['cni.start', 'cni.start fails', ['cni.start', 'cni.stop']],
    ['images.open', 'images.open fails', ['cni.start', 'images.open', 'cni.stop']],
    ['programs', 'needs the program no-such-runtime', ['cni.start', 'images.open', 'images.close', 'cni.stop']],
  ])('at %s stops what it has started, and unlocks the folder', async (step, message, expected) => {
    await expect(machine.create(recorded(step)).start()).rejects.toThrow(message);
    expect(calls).toEqual(expected);
    const { start, stop } = machine.create();
    await start();
    await stop();
  });

  it('reports its error although an undoing fails too; a stop continues after a failure', async () => {
    await expect(machine.create({ ...recorded('images.close'), runtime: 'no-such-runtime' }).start()).rejects.toThrow('no-such-runtime');
    expect(calls).toEqual(['cni.start', 'images.open', 'images.close', 'cni.stop']);
    const { start, stop } = machine.create(recorded('images.close'));
    await start();
    await expect(stop()).rejects.toThrow('images.close fails');
    const path = join(machine.folder, 'state/lock');
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe('');
    const next = machine.create();
    await next.start();
    await next.stop();
  });
});
