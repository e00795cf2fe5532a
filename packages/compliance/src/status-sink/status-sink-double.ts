import type { Clock, PodStatus, StatusSink, StatusVersions } from '@nodeagent/api';

/** The ports of {@link createTestStatusSink}. */
export interface TestStatusSinkPorts {
  clock: Pick<Clock, 'sleep'>;
  /** Sends a status. A failed one is sent again. */
  post(podUid: string, status: PodStatus, signal: AbortSignal): Promise<void>;
}

const retryPeriodMs = 5_000;

/** A status sink: it posts the newest status of each pod, one at a time. */
export function createTestStatusSink({ clock, post }: TestStatusSinkPorts): StatusSink {
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
