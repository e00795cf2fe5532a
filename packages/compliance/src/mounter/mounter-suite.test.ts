import { type Mounter, type MountInfo, NodeAgentError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases } from '../support/test-failed-cases.js';
import { mounterSuite } from './mounter-suite.js';
import { tableSubject } from './test-mounter.js';

describe('a third-party mounter keeps the promises of a', () => {
  defineSuite({ describe, it }, mounterSuite, () => tableSubject());
});

describe('the mounter suite', () => {
  it.each<[string, (mounter: Mounter) => Partial<Mounter>, RegExp]>([
    ['mounts nothing', () => ({ mount: async () => {} }), /lists its mounts until they are unmounted/],
    [
      'mounts a target once',
      ({ mount, list }) => ({
        async mount(request, signal) {
          const mounted = (await list()).some(({ mountPoint }) => mountPoint === request.target);
          if (!mounted) await mount(request, signal);
        },
      }),
      /unmounts stacked mounts one at a time, the last one first/,
    ],
    [
      'lists in another order',
      ({ list }) => ({ list: async () => (await list()).reverse() }),
      /unmounts stacked mounts one at a time, the last one first/,
    ],
    [
      'lists what it works with',
      ({ list }) => {
        let shared: MountInfo[] | undefined;
        return {
          async list() {
            const now = await list();
            shared ??= now;
            if (shared.length !== now.length) shared = now;
            return shared;
          },
        };
      },
      /the caller may change/,
    ],
    [
      'shows secrets',
      ({ mount }) => ({
        mount: (request, signal) =>
          mount(request, signal).catch((error) => {
            throw new NodeAgentError('MountFailed', `${error.message} ${request.sensitiveOptions}`);
          }),
      }),
      /never shows sensitive options/,
    ],
    ['ignores signals', ({ mount, unmount }) => ({ mount: (r) => mount(r), unmount: (t) => unmount(t) }), /reason of an aborted signal/],
    [
      'cannot unmount what is not mounted',
      ({ list, unmount }) => ({
        async unmount(target, signal) {
          if (!(await list()).some(({ mountPoint }) => mountPoint === target)) throw new Error('not mounted');
          await unmount(target, signal);
        },
      }),
      /unmounting a target without a mount succeeds/,
    ],
    [
      'rejects without a code',
      ({ unmount }) => ({ unmount: (t, s) => unmount(t, s).catch(() => Promise.reject(new Error('busy'))) }),
      /busy mount/,
    ],
    [
      'rejects when a tool fails',
      ({ run }) => ({
        async run(...call) {
          const result = await run(...call);
          if (result.exitCode !== 0) throw new Error(result.stderr);
          return result;
        },
      }),
      /resolves with the result of a tool, also if it fails/,
    ],
  ])('notices a mounter that %s', async (_, change, promise) => {
    const failed = await failedCases(mounterSuite, () => tableSubject(change));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });

  it('skips the cases that require mounts', async () => {
    const without = ['mounts', 'busy', 'tools', 'powerless'];
    expect(await failedCases(mounterSuite, () => tableSubject(() => ({ mount: undefined as never })), { without })).toEqual([]);
  });
});
