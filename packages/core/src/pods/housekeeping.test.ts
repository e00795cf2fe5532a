import type { KnownPodWorker, Pod, PodStatus, RuntimePod, UpdatePodOptions } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { buildPod, createRecordingLogger } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createCgroups } from '../third-party/test-small-parts.js';
import {
  createHousekeeping,
  hasUnaccounted,
  podsToRestart,
  possiblyRunning,
  staticPodsWithOutdatedMirror,
  unknownRunningPods,
} from './housekeeping.js';

const worker = (state: KnownPodWorker['state'] = 'SyncPod'): KnownPodWorker => ({ state, orphan: false, hasConfig: true, static: true });
const runtimePod = (uid: string): RuntimePod => ({ uid, name: uid, namespace: 'default', containers: [], sandboxes: [] });
const pod = (name: string, status?: PodStatus) => buildPod({ name, uid: name, ...(status && { status }) });

describe('the decisions', () => {
  it('probes pods that may still run', () => {
    const known = new Map([
      ['a', worker()],
      ['b', worker('TerminatingPod')],
      ['c', worker('TerminatedPod')],
    ]);
    expect([...possiblyRunning(known)]).toEqual(['a', 'b']);
  });

  it('restarts desired pods without a worker that are cleaned up and not terminal', () => {
    const statuses: Record<string, PodStatus> = { ended: { phase: 'Failed' }, running: { phase: 'Running' } };
    const desired = ['new', 'known', 'ended', 'running', 'leftover'].map((name) => pod(name));
    const restarted = podsToRestart(
      [...desired, pod('done', { phase: 'Succeeded' })],
      new Map([['known', worker()]]),
      new Set(['leftover']),
      (uid) => statuses[uid],
    );
    expect(restarted.map(podUid)).toEqual(['new', 'running']);
  });

  it('replaces outdated mirror pods of static pods that no worker syncs', () => {
    const annotated = (name: string, annotations: Record<string, string>) => buildPod({ name, uid: name, annotations });
    const names = ['rejected', 'terminated', 'running', 'current'];
    const statics = names.map((name) => annotated(name, { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'new' }));
    const mirrors = names.map((name) => annotated(name, { 'kubernetes.io/config.mirror': name === 'current' ? 'new' : 'old' }));
    const known = new Map([
      ['terminated', worker('TerminatedPod')],
      ['running', worker()],
    ]);
    expect(staticPodsWithOutdatedMirror([...statics, pod('plain')], mirrors, known).map(podUid)).toEqual(['rejected', 'terminated']);
  });

  it('terminates unknown running pods', () => {
    expect(unknownRunningPods([runtimePod('a'), runtimePod('b')], new Map([['a', worker()]])).map(({ uid }) => uid)).toEqual(['b']);
  });

  it("lists the runtime's pods if some are unaccounted for or unknown", () => {
    const accounted = new Set(['a']);
    expect(hasUnaccounted(accounted, ['a'], ['a'])).toBe(false);
    expect(hasUnaccounted(accounted, ['b'], [])).toBe(true);
    expect(hasUnaccounted(accounted, [], ['b'])).toBe(true);
    expect(hasUnaccounted(accounted, undefined, [])).toBe(true);
  });
});

describe('a round', () => {
  function setUp() {
    const state = {
      desired: [] as Pod[],
      mirrorPods: [] as Pod[],
      orphanedMirrors: [] as string[],
      mirrorsTerminating: new Set<string>(),
      ready: true,
      known: new Map<string, KnownPodWorker>(),
      ending: new Set<string>(),
      running: [] as RuntimePod[],
      observedRunning: [] as string[] | undefined,
      observed: new Set<string>(),
      dirs: [] as string[],
      stuckDirs: new Set<string>(),
      mounted: new Set<string>(),
      cgroups: [] as string[],
      busyCgroups: new Set<string>(),
      listError: undefined as Error | undefined,
    };
    const seen = {
      lists: 0,
      retained: [] as string[],
      statuses: [] as string[],
      updates: [] as UpdatePodOptions[],
      /** For each run: the number of updates in the tick in which the workers received the desired pods. */
      updatesAtOnce: [] as number[],
      collections: 0,
      deletedMirrors: [] as string[],
      backOffs: 0,
      /** The UIDs of cgroups that were known in the last removal. */
      knownCgroups: [] as string[],
    };
    const logger = createRecordingLogger();
    const round = createHousekeeping({
      pods: () => ({ pods: state.desired, mirrorPods: state.mirrorPods, orphanedMirrorPodFullNames: state.orphanedMirrors }),
      allSourcesReady: () => state.ready,
      podWorkers: {
        updatePod: (update) => seen.updates.push(update),
        syncKnownPods: () => {
          queueMicrotask(() => seen.updatesAtOnce.push(seen.updates.length));
          return state.known;
        },
        isPodTerminationRequested: (uid) => state.ending.has(uid),
        isPodForMirrorPodTerminatingByFullName: (fullName) => state.mirrorsTerminating.has(fullName),
      },
      runtime: {
        async getPods() {
          seen.lists++;
          if (state.listError) throw state.listError;
          return state.running;
        },
        collectBackOff: () => seen.backOffs++,
      },
      observedRunning: () => state.observedRunning,
      isObserved: (uid) => state.observed.has(uid),
      requestCollection: () => seen.collections++,
      statusManager: {
        getPodStatus: () => undefined,
        removeOrphanedStatuses: (known) => {
          seen.statuses = [...known];
        },
      },
      podDirs: {
        list: async () => state.dirs,
        async remove(uid) {
          if (uid === 'broken') throw new Error('input/output error');
          if (state.stuckDirs.has(uid)) return false;
          state.dirs = state.dirs.filter((dir) => dir !== uid);
          return true;
        },
      },
      containerManager: {
        isEnabled: true,
        pods: {
          ...createCgroups().pods,
          list: async () => new Map(state.cgroups.map((uid) => [uid, ['kubepods', `pod${uid}`]])),
          async removeOrphans(running, _holdsVolumes, isKnown = () => false) {
            seen.knownCgroups = state.cgroups.filter(isKnown);
            state.cgroups = state.cgroups.filter((uid) => running.has(uid) || state.busyCgroups.has(uid) || !isKnown(uid));
          },
        },
      },
      volumeManager: { hasPossiblyMountedVolumesForPod: (uid) => state.mounted.has(uid) },
      deleteMirrorPod: (mirrorPod) => void seen.deletedMirrors.push(podUid(mirrorPod)),
      retain: (known) => {
        seen.retained = [...known];
      },
      logger,
    });
    return { state, seen, round, logger };
  }

  it('does nothing before every source has delivered its list', async () => {
    const { state, seen, round } = setUp();
    state.ready = false;
    state.dirs = ['old'];
    await round();
    expect([seen.lists, state.dirs, seen.backOffs]).toEqual([0, ['old'], 0]);
  });

  it('keeps the directory of a pod that may still have a volume', async () => {
    const { state, seen, round } = setUp();
    state.dirs = ['old', 'mounted'];
    state.mounted.add('mounted');
    await round();
    expect([state.dirs, seen.retained]).toEqual([['mounted'], ['mounted']]);
  });

  it('knows the cgroups of pods with a worker, a directory or a sandbox, and does not list the runtime for those of others again', async () => {
    const { state, seen, round } = setUp();
    state.desired = [pod('a')];
    state.known = new Map([['a', worker()]]);
    state.dirs = ['a', 'removed'];
    state.observed.add('sandbox');
    state.cgroups = ['a', 'removed', 'sandbox', 'foreign'];
    await round();
    expect([seen.knownCgroups, state.cgroups, state.dirs]).toEqual([['a', 'removed', 'sandbox'], ['a', 'foreign'], ['a']]);
    const { lists } = seen;
    expect([await round(), seen.lists]).toEqual([true, lists]);
  });

  it('keeps the directory of a pod as long as its cgroup, so that the next agent knows whose it is', async () => {
    const { state, seen, round } = setUp();
    state.dirs = ['removed'];
    state.cgroups = ['removed'];
    state.busyCgroups.add('removed');
    expect([await round(), state.dirs, seen.retained]).toEqual([false, ['removed'], ['removed']]);
    state.busyCgroups.clear();
    await round();
    expect([state.dirs, state.cgroups]).toEqual([[], []]);
  });

  it('deletes mirror pods of removed and terminated static pods', async () => {
    const { state, seen, round } = setUp();
    state.mirrorPods = [pod('kept'), pod('orphan'), pod('ending')];
    state.orphanedMirrors = ['orphan_default', 'ending_default'];
    state.mirrorsTerminating = new Set(['ending_default']);
    expect(await round()).toBe(false);
    expect(seen.deletedMirrors).toEqual(['orphan']);
    state.mirrorsTerminating.clear();
    await round();
    expect(seen.deletedMirrors).toEqual(['orphan', 'orphan', 'ending']);
  });

  it('calls the runtime only for unaccounted pods', async () => {
    const { state, seen, round } = setUp();
    state.desired = [pod('a')];
    state.known = new Map([
      ['a', worker()],
      ['b', worker('TerminatingPod')],
    ]);
    state.observedRunning = ['a', 'b'];
    state.dirs = ['a', 'b'];
    await round();
    seen.lists = 0;
    await round();
    expect([seen.lists, seen.updates, seen.retained, seen.statuses, seen.backOffs]).toEqual([0, [], ['a', 'b'], ['a'], 2]);
  });

  it('terminates pods of the previous run that were not admitted before their volumes are unmounted', async () => {
    const { state, seen, round } = setUp();
    state.desired = [pod('refused', { phase: 'Failed' })];
    state.running = [runtimePod('refused')];
    state.observedRunning = ['refused'];
    await round();
    expect(seen.updates).toEqual([{ type: 'kill', runningPod: runtimePod('refused'), killOptions: { gracePeriodOverride: 1 } }]);
    expect(seen.updatesAtOnce).toEqual([1]);
  });

  it('terminates an unknown pod only if it still runs after the workers were read', async () => {
    const { state, seen, round } = setUp();
    state.observedRunning = ['x'];
    await round();
    expect([seen.lists, seen.updates]).toEqual([1, []]);
    state.running = [runtimePod('x')];
    await round();
    expect(seen.updates).toEqual([{ type: 'kill', runningPod: runtimePod('x'), killOptions: { gracePeriodOverride: 1 } }]);
    expect(seen.retained).toEqual(['x']);
  });

  it('removes orphaned pod directories, and continues after a failure', async () => {
    const { state, seen, round, logger } = setUp();
    state.dirs = ['broken', 'stuck', 'running', 'old'];
    state.stuckDirs.add('stuck');
    state.running = [runtimePod('running')];
    await round();
    expect(state.dirs).toEqual(['broken', 'stuck', 'running']);
    expect(seen.retained).toEqual(['running', 'broken', 'stuck']);
    expect(logger.texts('warn')).toEqual([
      'removing an orphaned pod directory failed: input/output error',
      'orphaned pod directory still contains volumes',
    ]);
  });

  it('removes nothing if the runtime is unreachable', async () => {
    const { state, round } = setUp();
    state.dirs = ['old'];
    state.listError = new Error('connection refused');
    await expect(round()).rejects.toThrow('connection refused');
    expect(state.dirs).toEqual(['old']);
  });

  it('restarts a pod that was added again while it terminated after its cleanup', async () => {
    const { state, seen, round } = setUp();
    state.desired = [pod('a')];
    state.ending = new Set(['a']);
    state.known = new Map([['a', worker('TerminatingPod')]]);
    await round();
    expect(seen.updates).toEqual([]);

    state.known = new Map();
    state.observed.add('a');
    await round();
    expect([seen.updates, seen.collections, seen.statuses]).toEqual([[], 1, []]);

    state.ending.clear();
    state.observed.clear();
    await round();
    expect(seen.updates).toEqual([{ type: 'create', pod: state.desired[0] }]);

    state.known = new Map([['a', worker()]]);
    await round();
    expect([seen.updates.length, seen.statuses]).toEqual([1, ['a']]);
  });
});
