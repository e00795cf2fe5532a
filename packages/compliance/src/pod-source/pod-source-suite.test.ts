import type { Pod, PodSource } from '@nodeagent/api';
import { createManualSource, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases } from '../support/test-failed-cases.js';
import { podSourceSuite } from './pod-source-suite.js';
import { pollingSubject } from './test-pod-source.js';

describe('a third-party source keeps the promises of a', () => {
  defineSuite({ describe, it }, podSourceSuite, () => pollingSubject());
});

describe('the manual source of testing keeps the promises of a', () => {
  const factory = () => {
    const source = createManualSource();
    return { subject: { source, set: source.set, advance: createVirtualClock().advance } };
  };
  defineSuite({ describe, it }, podSourceSuite, factory, { without: ['outage'] });
});

describe('the pod source suite', () => {
  /** A source that emits the result of `deliver` for each list; `own` replaces methods. */
  const changed = (deliver: (pods: Pod[], lists: Pod[][]) => Pod[], own: (source: PodSource) => Partial<PodSource> = () => ({})) => {
    return (source: PodSource): PodSource => {
      const lists: Pod[][] = [];
      const result: PodSource = {
        name: 'changed',
        onPods: undefined,
        async start(signal) {
          source.onPods = (pods) => {
            const list = deliver(pods, lists);
            lists.push(list);
            result.onPods?.(list);
          };
          await source.start(signal);
        },
        stop: () => source.stop(),
        ...own(source),
      };
      return result;
    };
  };
  const same = (pods: Pod[]) => pods;
  const withoutSignal = (start: PodSource['start']) => () => start();

  it.each<[string, (source: PodSource) => PodSource, RegExp]>([
    [
      'hands over differences',
      changed((pods, lists) => pods.filter(({ metadata }) => !lists.flat().some((known) => known.metadata?.name === metadata?.name))),
      /complete list after each change/,
    ],
    [
      'gives a pod another UID with each reading',
      changed((pods, { length }) => pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid: `${length}` } }))),
      /emits unchanged pods unchanged/,
    ],
    [
      'fills one array again and again',
      changed((pods, [first]) => {
        first?.splice(0, first.length, ...pods);
        return first ?? pods;
      }),
      /does not modify an emitted list or its pods/,
    ],
    ['does not stop', changed(same, () => ({ stop: async () => {} })), /after it was stopped/],
    ['ignores its signal', (source) => Object.assign(source, { start: withoutSignal(source.start) }), /signal of its start aborts/],
    [
      'waits until its pods can be read',
      changed(same, (source) => ({ start: () => source.start().then(() => new Promise<void>(() => {})) })),
      /starts while its input is unreadable, and emits nothing until it is readable/,
    ],
  ])('notices a source that %s', async (_, change, promise) => {
    const failed = await failedCases(podSourceSuite, () => pollingSubject(change));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });

  it('detects a source that reports an outage as an empty list', async () => {
    const failed = await failedCases(podSourceSuite, () => {
      const { subject } = pollingSubject();
      const { set } = subject;
      return { subject: { ...subject, setReadable: (isReadable: boolean) => (isReadable ? undefined : set([])) } };
    });
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(/keeps the list while/)]));
  });
});
