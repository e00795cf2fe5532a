import type { StatusSink, StatusVersions } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases } from '../support/test-failed-cases.js';
import { statusSinkSuite } from './status-sink-suite.js';
import { postingSubject } from './test-status-sink.js';

describe('a third-party sink keeps the promises of a', () => {
  defineSuite({ describe, it }, statusSinkSuite, () => postingSubject());
});

describe('the status sink suite', () => {
  const noStatuses = (statuses: StatusVersions): StatusVersions => ({ ...statuses, versionedStatuses: () => new Map().entries() });
  const first = (statuses: StatusVersions): StatusVersions => {
    const known = new Map<string, ReturnType<StatusVersions['versionedStatus']>>();
    return {
      ...statuses,
      versionedStatus(uid) {
        if (!known.has(uid)) known.set(uid, statuses.versionedStatus(uid));
        return known.get(uid);
      },
    };
  };

  it.each<[string, (sink: StatusSink) => Partial<StatusSink>, RegExp]>([
    [
      'carries only what changes after its start',
      (sink) => ({ start: (statuses) => sink.start(noStatuses(statuses)) }),
      /writes the existing statuses at its start/,
    ],
    ['carries the first status for ever', (sink) => ({ start: (statuses) => sink.start(first(statuses)) }), /writes each later change/],
    ['does not stop', () => ({ stop: async () => {} }), /nothing after it has stopped/],
    [
      'waits for its destination at its start',
      () => ({ start: () => new Promise<void>(() => {}) }),
      /while its destination is unreachable/,
    ],
    [
      'throws for a pod that it does not know',
      (sink) => ({
        statusChanged(uid) {
          if (uid === 'unknown') throw new Error('no such pod');
          sink.statusChanged(uid);
        },
      }),
      /accepts a notification for any pod without waiting/,
    ],
    [
      'changes entries',
      (sink) => ({
        start: (statuses) =>
          sink.start({
            ...statuses,
            versionedStatus(uid) {
              const entry = statuses.versionedStatus(uid);
              if (entry) Object.assign(entry, { version: 0 });
              return entry;
            },
          }),
      }),
      /modifies neither entries nor statuses of present pods/,
    ],
    [
      'forgets what it has carried',
      (sink) => {
        let known: StatusVersions | undefined;
        return {
          start(statuses) {
            known = statuses;
            return sink.start(statuses);
          },
          statusChanged(uid) {
            if ((known?.versionedStatus(uid)?.version ?? 0) > 1) known?.forgetPodStatus(uid);
            sink.statusChanged(uid);
          },
        };
      },
      /modifies neither entries nor statuses of present pods/,
    ],
  ])('notices a sink that %s', async (_, own, promise) => {
    const failed = await failedCases(statusSinkSuite, () => postingSubject((sink) => ({ ...sink, ...own(sink) })));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });
});
