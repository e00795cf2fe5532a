import type { Clock, PodStatus, StatusSink, StatusVersions } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import type { StatusSinkSubject } from './status-sink-suite.js';

const retryPeriodMs = 5_000;

/** A status sink written from the contract alone: it posts the newest status of each pod, one at a time. */
function createPostingSink(clock: Clock, post: (podUid: string, status: PodStatus, signal: AbortSignal) => Promise<void>): StatusSink {
  let run: { statuses: StatusVersions; due: Set<string>; ended: AbortController; work: Promise<void> | undefined } | undefined;

  const work = async ({ statuses, due, ended: { signal } }: NonNullable<typeof run>) => {
    await Promise.resolve();
    for (const uid of due) {
      if (signal.aborted) return;
      due.delete(uid);
      const entry = statuses.versionedStatus(uid);
      if (entry === undefined) continue;
      await post(uid, entry.status, signal).catch(async () => {
        due.add(uid);
        await clock.sleep(retryPeriodMs, signal).catch(() => {});
      });
    }
  };
  const changed = (uid: string) => {
    if (run === undefined) return;
    run.due.add(uid);
    const current = run;
    current.work ??= work(current)
      .catch(() => {})
      .finally(() => {
        current.work = undefined;
        const [next] = current.due;
        if (next !== undefined && run === current) changed(next);
      });
  };
  return {
    async start(statuses) {
      if (run) return;
      run = { statuses, due: new Set(), ended: new AbortController(), work: undefined };
      for (const [uid] of statuses.versionedStatuses()) changed(uid);
    },
    statusChanged: changed,
    async stop() {
      const ending = run;
      run = undefined;
      ending?.ended.abort(new Error('stopped'));
      await ending?.work;
    },
  };
}

/** The subject of {@link createPostingSink}, optionally modified by a test, with a destination that takes 20 ms for a status. */
export function postingSubject(change: (sink: StatusSink) => StatusSink = (sink) => sink): { subject: StatusSinkSubject } {
  const clock = createVirtualClock();
  const destination = new Map<string, PodStatus>();
  let isReachable = true;
  const post = async (uid: string, status: PodStatus, signal: AbortSignal) => {
    await clock.sleep(20, signal);
    if (!isReachable) throw new Error('away');
    destination.set(uid, status);
  };
  return {
    subject: {
      sink: change(createPostingSink(clock, post)),
      addPod: () => {},
      carried: (uid) => destination.get(uid),
      setReachable: (next) => {
        isReachable = next;
      },
      now: clock.now,
      advance: clock.advance,
    },
  };
}
