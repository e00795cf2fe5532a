import type { PodSource } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { createTestPodSource } from './pod-source-double.js';
import type { PodSourceSubject } from './pod-source-suite.js';

/** The subject of {@link createTestPodSource}, optionally modified by a test. */
export function pollingSubject(change: (source: PodSource) => PodSource = (source) => source): { subject: PodSourceSubject } {
  const clock = createVirtualClock();
  let text = '[]';
  let isReadable = true;
  const read = async () => {
    if (!isReadable) throw new Error('unreadable');
    return text;
  };
  return {
    subject: {
      source: change(createTestPodSource({ clock, read })),
      set: (pods) => {
        text = JSON.stringify(pods);
      },
      setReadable: (next) => {
        isReadable = next;
      },
      advance: clock.advance,
    },
  };
}
