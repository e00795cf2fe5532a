import type { NodeAgentError, Pod } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createFileSource, type FileSourceOptions } from './file-source.js';
import type { ManifestFileSystem } from './manifest-files.js';
import type { Watch } from './watch.js';

const manifest = (name: string, image = 'i') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, uid: ${name}-${image}}\nspec:\n  containers:\n  - {name: c, image: ${image}}\n`;

/** Files in memory, with a watch whose events the test sends. */
function createFakeFolder(path: string) {
  const content = new Map<string, string | Error>();
  const watches: { directory: string; onEvent: (name: string | undefined) => void; onError: (error: unknown) => void; open: boolean }[] =
    [];
  let generation = 1;
  let there = true;
  let watchError: Error | undefined;
  let listError: Error | undefined;
  const files: ManifestFileSystem = {
    async stat(asked) {
      if (!there) return undefined;
      if (asked === path) return { kind: 'directory', id: `${generation}`, size: 0 };
      const text = content.get(asked.slice(path.length + 1));
      if (text === undefined) return undefined;
      if (asked.endsWith('.d')) return { kind: 'directory', id: asked, size: 0 };
      return { kind: 'file', id: asked, size: text instanceof Error ? 1 : text.length };
    },
    async list() {
      if (listError) throw listError;
      return [...content.keys()].reverse();
    },
    async read(file) {
      const text = content.get(file.slice(path.length + 1));
      if (text === undefined || text instanceof Error) throw text ?? Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return new TextEncoder().encode(text);
    },
  };
  const watch: Watch = (directory, onEvent, onError) => {
    if (watchError) throw watchError;
    const watched = { directory, onEvent, onError, open: true };
    watches.push(watched);
    return {
      close() {
        watched.open = false;
      },
    };
  };
  const event = (name: string | undefined) => {
    for (const watched of watches) if (watched.open) watched.onEvent(name);
  };
  return {
    files,
    watch,
    event,
    watches,
    put: (name: string, text: string | Error) => content.set(name, text),
    remove: (name: string) => content.delete(name),
    setThere(value: boolean) {
      if (value && !there) generation++;
      there = value;
    },
    failWatch(error: Error | undefined) {
      watchError = error;
    },
    failList(error: Error | undefined) {
      listError = error;
    },
  };
}

function setUp(options: Partial<FileSourceOptions> = {}) {
  const clock = createVirtualClock();
  const folder = createFakeFolder('/m');
  const lists: string[][] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const source = createFileSource({
    path: '/m/',
    nodeName: 'n',
    clock,
    files: folder.files,
    watch: folder.watch,
    onError: (error: NodeAgentError) => errors.push(error.message),
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  source.onPods = (pods: Pod[]) => lists.push(pods.map(({ metadata }) => metadata?.uid ?? '').sort());
  /** Sends the event and lets the burst end. */
  const event = async (name: string | undefined) => {
    folder.event(name);
    await clock.advance(50);
    await clock.settle();
  };
  return { clock, folder, lists, errors, warnings, source, event, last: () => lists.at(-1) };
}

describe('createFileSource', () => {
  it('reads the folder at once, and follows it by events', async () => {
    const { folder, lists, source, event } = setUp();
    folder.put('a.yaml', manifest('a'));
    folder.put('.hidden.yaml', manifest('hidden'));
    folder.put('sub.d', '');
    await source.start();
    expect(lists).toEqual([['a-i']]);
    folder.put('b.yaml', manifest('b'));
    await event('b.yaml');
    folder.put('a.yaml', manifest('a', 'j'));
    await event('a.yaml');
    folder.remove('b.yaml');
    await event('b.yaml');
    await event('.hidden.yaml');
    expect(lists).toEqual([['a-i'], ['a-i', 'b-i'], ['a-j', 'b-i'], ['a-j']]);
    await source.stop();
  });

  it('reports all current errors when one appears, changes or is removed', async () => {
    const reported: (string | undefined)[][] = [];
    const { folder, source, event } = setUp({ onErrors: (errors) => reported.push(errors.map(({ details }) => details.file as string)) });
    folder.put('a.yaml', 'a: 1');
    folder.put('b.yaml', manifest('b'));
    await source.start();
    expect(reported).toEqual([['/m/a.yaml']]);
    folder.put('b.yaml', '- b');
    await event('b.yaml');
    await event('b.yaml');
    folder.put('a.yaml', manifest('a'));
    await event('a.yaml');
    folder.remove('b.yaml');
    await event('b.yaml');
    expect(reported.slice(1)).toEqual([['/m/a.yaml', '/m/b.yaml'], ['/m/b.yaml'], []]);
    await source.stop();
  });

  it('reads all files every 20 seconds, also without an event of the watch', async () => {
    const { clock, folder, source, last, lists } = setUp();
    folder.put('a.yaml', manifest('a'));
    await source.start();
    folder.put('b.yaml', manifest('b'));
    await clock.advance(19_999);
    expect(lists).toHaveLength(1);
    await clock.advance(1);
    await clock.settle();
    expect(last()).toEqual(['a-i', 'b-i']);
    await source.stop();
  });

  it('reads a file once when an editor writes it in two halves', async () => {
    const { clock, folder, source, event, last, errors } = setUp();
    const [first, second] = [manifest('a', 'new').slice(0, 80), manifest('a', 'new').slice(80)];
    folder.put('a.yaml', manifest('a', 'old'));
    await source.start();
    folder.put('a.yaml', '');
    folder.event('a.yaml');
    await clock.advance(10);
    folder.put('a.yaml', first);
    folder.event('a.yaml');
    await clock.advance(30);
    folder.put('a.yaml', first + second);
    await event('a.yaml');
    expect(last()).toEqual(['a-new']);
    expect(errors).toEqual([]);
    folder.put('a.yaml', 'kind: Pod\nspec: [');
    await event('a.yaml');
    expect(last()).toEqual(['a-new']);
    folder.put('a.yaml', manifest('a', 'newer'));
    await event('a.yaml');
    expect(last()).toEqual(['a-newer']);
    expect(errors).toHaveLength(1);
    await source.stop();
  });

  it('keeps the last good version, reports the error once, and updates all other pods', async () => {
    const { clock, folder, source, event, last, errors } = setUp();
    folder.put('a.yaml', manifest('a'));
    await source.start();
    folder.put('a.yaml', manifest('a').replace('image: i', 'image: 1'));
    folder.put('b.yaml', manifest('b'));
    await event('a.yaml');
    await event('b.yaml');
    await clock.advance(60_000);
    await clock.settle();
    expect(last()).toEqual(['a-i', 'b-i']);
    expect(errors).toEqual(['/m/a.yaml: spec.containers[0].image: must be text, not the number 1']);
    folder.remove('a.yaml');
    await event('a.yaml');
    expect(last()).toEqual(['b-i']);
    await source.stop();
  });

  it('removes a pod with an invalid manifest, as the kubelet does, without keepLastGood', async () => {
    const { clock, folder, source, last } = setUp({ keepLastGood: false });
    folder.put('a.yaml', manifest('a'));
    folder.put('b.yaml', manifest('b'));
    await source.start();
    folder.put('a.yaml', 'broken');
    await clock.advance(20_000);
    await clock.settle();
    expect(last()).toEqual(['b-i']);
    await source.stop();
  });

  it('warns once of two files whose pods have one UID, and runs the pod of the later file', async () => {
    const { clock, folder, source, last, warnings } = setUp();
    folder.put('a.yaml', manifest('a', 'one').replace('uid: a-one', 'uid: same'));
    folder.put('b.yaml', manifest('b', 'two').replace('uid: b-two', 'uid: same'));
    await source.start();
    await clock.advance(40_000);
    await clock.settle();
    expect(last()).toEqual(['same', 'same']);
    expect(warnings).toEqual(['/m/a.yaml: the pod a-n_default has the UID "same", which a pod in /m/b.yaml has too: only that one runs']);
    await source.stop();
  });

  it('warns of two files with one pod, and of unknown fields, once', async () => {
    const { clock, folder, source, last, warnings } = setUp();
    folder.put('b.yaml', manifest('a', 'two'));
    folder.put('a.yaml', `${manifest('a', 'one')}  hostNetwrk: true\n`);
    await source.start();
    await clock.advance(40_000);
    await clock.settle();
    expect(last()).toEqual(['a-two']);
    expect(warnings).toEqual([
      '/m/a.yaml: spec.hostNetwrk: unknown field, did you mean "hostNetwork"?',
      '/m/a.yaml: the pod a-n_default is also in /m/b.yaml, which counts because it comes later in the order of names',
    ]);
    await source.stop();
  });

  it('emits an empty list for a missing folder, and finds the folder within a second', async () => {
    const { clock, folder, source, lists, errors } = setUp();
    folder.setThere(false);
    await source.start();
    expect(lists).toEqual([[]]);
    expect(errors).toEqual(['/m: path does not exist, ignoring']);
    folder.put('a.yaml', manifest('a'));
    folder.setThere(true);
    await clock.advance(1100);
    await clock.settle();
    expect(lists.at(-1)).toEqual(['a-i']);
    expect(folder.watches.filter(({ open }) => open)).toHaveLength(1);
    await source.stop();
  });

  it('watches the new folder when the folder is replaced', async () => {
    const { clock, folder, source, event, last } = setUp();
    folder.put('a.yaml', manifest('a'));
    await source.start();
    folder.setThere(false);
    await event('m');
    expect(last()).toEqual([]);
    folder.setThere(true);
    await clock.advance(1100);
    await clock.settle();
    folder.put('b.yaml', manifest('b'));
    await event('b.yaml');
    expect(last()).toEqual(['a-i', 'b-i']);
    expect(folder.watches.map(({ open }) => open)).toEqual([false, true]);
    await source.stop();
  });

  it('reads all files again when the content of a mounted config map is swapped', async () => {
    const { folder, source, event, last } = setUp();
    folder.put('a.yaml', manifest('a'));
    folder.put('..data', '');
    await source.start();
    folder.put('a.yaml', manifest('a', 'j'));
    await event('..data');
    expect(last()).toEqual(['a-j']);
    await source.stop();
  });

  it('retries a failed watch with increasing delays, and works without it', async () => {
    const { clock, folder, source, last } = setUp();
    folder.failWatch(new Error('ENOSPC: too many watches'));
    folder.put('a.yaml', manifest('a'));
    await source.start();
    expect(last()).toEqual(['a-i']);
    await clock.advance(1100);
    await clock.settle();
    expect(folder.watches).toHaveLength(0);
    folder.failWatch(undefined);
    await clock.advance(2100);
    await clock.settle();
    expect(folder.watches).toHaveLength(1);
    folder.watches[0]?.onError(new Error('watch closed'));
    expect(folder.watches[0]?.open).toBe(false);
    await clock.advance(1100);
    await clock.settle();
    expect(folder.watches.map(({ open }) => open)).toEqual([false, true]);
    await source.stop();
  });

  it('keeps pods whose file or folder cannot be read, and reports the cause', async () => {
    const { clock, folder, source, event, last, lists, errors } = setUp();
    folder.put('a.yaml', manifest('a'));
    await source.start();
    folder.put('a.yaml', new Error('EACCES: permission denied'));
    await event('a.yaml');
    folder.put('b.yaml', 'x'.repeat(10 * 1024 * 1024 + 1));
    await event('b.yaml');
    folder.failList(new Error('EIO'));
    const count = lists.length;
    await clock.advance(40_000);
    await clock.settle();
    expect(last()).toEqual(['a-i']);
    expect(lists).toHaveLength(count);
    expect(errors).toEqual([
      '/m/a.yaml: cannot be read: EACCES: permission denied',
      '/m/b.yaml: cannot be read: larger than the limit of 10485760 bytes',
      '/m: cannot be read: EIO',
    ]);
    await source.stop();
  });

  it('survives handlers that throw', async () => {
    const boom = () => {
      throw new Error('boom');
    };
    const { folder, source, event, last, lists } = setUp({ onError: boom, onWarning: boom });
    folder.put('bad.yaml', 'x');
    folder.put('odd.yaml', `${manifest('odd')}zzz: 1\n`);
    const handler = source.onPods;
    source.onPods = boom;
    folder.put('a.yaml', manifest('a'));
    await source.start();
    source.onPods = handler;
    await event(undefined);
    expect(last()).toEqual(['a-i', 'odd-i']);
    expect(lists).toHaveLength(1);
    await source.stop();
  });

  it('starts and stops repeatedly, without timers and watches left after a stop', async () => {
    const { clock, folder, source, lists } = setUp();
    folder.put('a.yaml', manifest('a'));
    await Promise.all([source.start(), source.start()]);
    expect(lists).toHaveLength(1);
    folder.event('a.yaml');
    await Promise.all([source.stop(), source.stop()]);
    expect(clock.pending).toBe(0);
    expect(folder.watches.some(({ open }) => open)).toBe(false);
    const abort = new AbortController();
    await source.start(abort.signal);
    expect(lists).toHaveLength(2);
    abort.abort();
    await clock.settle();
    expect(clock.pending).toBe(0);
    await source.start(AbortSignal.abort());
    expect(lists).toHaveLength(2);
  });

  it.each([
    [{ path: '' }, 'path'],
    [{ nodeName: '' }, 'nodeName'],
    [{ checkIntervalMs: 0 }, 'checkIntervalMs'],
    [{ checkIntervalMs: Number.NaN }, 'checkIntervalMs'],
  ])('refuses %o', (options, field) => {
    expect(() => setUp(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
