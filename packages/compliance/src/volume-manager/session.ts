import assert from 'node:assert/strict';
import type { MountedVolume, Pod } from '@nodeagent/api';
import type { SuiteCase } from '../suite/suite.js';
import { eventually, settled } from '../support/waiting.js';
import type { AnyVolumeManager, VolumeManagerCapability, VolumeManagerSubject } from './subject.js';

const reportPeriodMs = 100;

/** One-line helpers for the calls of an agent. */
export interface VolumeSession extends VolumeManagerSubject {
  manager: AnyVolumeManager;
  waitsWithinMs: number;
  /** Starts the manager, if it has a loop. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Adds the pod. */
  add(pod: Pod): Promise<void>;
  end(pod: Pod): Promise<void>;
  /** Adds the pod and waits until its volumes are mounted. */
  mount(pod: Pod): Promise<void>;
  /** Terminates the pod and waits until its volumes are unmounted. */
  unmount(pod: Pod): Promise<void>;
  waitForMount(pod: Pod): Promise<void>;
  waitForUnmount(pod: Pod): Promise<void>;
  /** Reports the volumes in use, as an agent with a Node does. */
  report(): void;
  /** The pod's mounted volumes by name. */
  volumesOf(podUid: string): ReadonlyMap<string, MountedVolume>;
  /** The names of the volumes that are mounted on the node, sorted. */
  mountedNames(podUid: string): string[];
  eventually(what: string, condition: () => boolean): Promise<void>;
}

/** A case of the volume manager suite. The manager is started before, if it has a loop, and stopped after. */
export function volumeCase(
  name: string,
  run: (session: VolumeSession) => Promise<void>,
  capability?: VolumeManagerCapability,
): SuiteCase<VolumeManagerSubject> {
  return {
    name,
    ...(capability && { capability }),
    async run(subject) {
      const session = openSession(subject);
      await session.start();
      try {
        await run(session);
      } finally {
        await session.stop();
      }
    },
  };
}

function openSession(subject: VolumeManagerSubject): VolumeSession {
  const { manager, advance, waitsWithinMs = 200_000 } = subject;
  const report = () => manager.markVolumesAsReportedInUse?.(manager.getVolumesInUse?.() ?? []);
  const reporting = async (ms: number) => {
    report();
    for (let left = ms; left > 0; left -= reportPeriodMs) await advance(Math.min(left, reportPeriodMs));
  };
  const changed = () => manager.podsChanged?.();
  const session: VolumeSession = {
    ...subject,
    waitsWithinMs,
    start: async () => void (manager.start && (await settled(advance, 'start', manager.start(), waitsWithinMs))),
    stop: async () => void (manager.stop && (await settled(advance, 'stop', manager.stop(), waitsWithinMs))),
    async add(pod) {
      await subject.add(pod);
      changed();
    },
    async end(pod) {
      await subject.end(pod);
      changed();
    },
    async mount(pod) {
      await session.add(pod);
      await session.waitForMount(pod);
    },
    async unmount(pod) {
      await session.end(pod);
      await session.waitForUnmount(pod);
    },
    waitForMount: (pod) =>
      settled(reporting, 'waitForAttachAndMount', manager.waitForAttachAndMount(pod, new AbortController().signal), waitsWithinMs),
    waitForUnmount: (pod) => settled(reporting, 'waitForUnmount', manager.waitForUnmount(pod, new AbortController().signal), waitsWithinMs),
    report,
    volumesOf: (podUid) => manager.getMountedVolumesForPod(podUid),
    mountedNames: (podUid) => [...subject.mounted(podUid)].sort(),
    eventually: (what, condition) => eventually(reporting, what, condition, waitsWithinMs),
  };
  return session;
}

/** The error of a call that must fail. */
export async function failureOf(what: string, call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail(`${what} resolves`),
    (error: unknown) => error,
  );
}
