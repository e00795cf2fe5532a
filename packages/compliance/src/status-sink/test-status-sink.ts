import type { PodStatus, StatusSink } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { createTestStatusSink } from './status-sink-double.js';
import type { StatusSinkSubject } from './status-sink-suite.js';

/** The subject of {@link createTestStatusSink}, optionally modified by a test, with a destination that takes 20 ms for a status. */
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
      sink: change(createTestStatusSink({ clock, post })),
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
