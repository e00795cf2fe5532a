import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { defineSuite, statusManagerSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createStatusManager } from './status-manager.js';

describe('the status manager keeps the promises of a', () => {
  defineSuite({ describe, it }, statusManagerSuite, () => {
    const clock = createVirtualClock();
    const pods = new Map<string, Pod>();
    const mirrors = new Map<string, Pod>();
    const manager = createStatusManager({
      clock,
      pods: {
        podByUid: (uid) => pods.get(uid),
        mirrorPodByPod: (pod) => mirrors.get(podUid(pod)),
        translatePodUid: (uid) => [...mirrors].find(([, mirror]) => podUid(mirror) === uid)?.[0] ?? uid,
      },
    });
    return {
      subject: {
        manager,
        addPod(pod, mirrorPod) {
          pods.set(podUid(pod), pod);
          if (mirrorPod) mirrors.set(podUid(pod), mirrorPod);
        },
        advance: clock.advance,
      },
    };
  });
});
