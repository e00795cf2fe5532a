import type { StatsProvider, Summary } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases } from '../support/test-failed-cases.js';
import { statsProviderSuite, summarySourceSuite } from './stats-provider-suite.js';
import { tinySubject } from './test-stats-provider.js';

describe('a third-party stats provider keeps the promises of a', () => {
  defineSuite({ describe, it }, statsProviderSuite, () => tinySubject());
  defineSuite({ describe, it }, summarySourceSuite, () => tinySubject());
});

describe('the stats provider suite', () => {
  /** Stats whose summaries are changed. */
  const changed =
    (change: (summary: Summary, before: Summary | undefined) => Summary) =>
    ({ summary }: StatsProvider): Partial<StatsProvider> => {
      let before: Summary | undefined;
      return {
        async summary(options) {
          before = change(await summary(options), before);
          return before;
        },
      };
    };

  it.each<[string, (stats: StatsProvider) => Partial<StatsProvider>, RegExp]>([
    ['are another node’s', changed(({ node, pods }) => ({ node: { ...node, nodeName: 'n2' }, pods })), /name and boot time of the node/],
    ['have a pod twice', changed(({ node, pods }) => ({ node, pods: [...pods, ...pods] })), /each pod once/],
    [
      'have numbers',
      changed(({ node, pods }) => ({ node: { ...node, swap: { time: node.startTime, swapUsageBytes: 1 as never } }, pods })),
      /as bigint/,
    ],
    ['are never fresh', changed((summary, before) => before ?? summary), /fresh stats/],
    [
      'fill one summary again',
      changed((summary, before) => Object.assign(before ?? summary, summary)),
      /does not change a returned summary/,
    ],
    [
      'ignore signals',
      ({ summary }) => ({ summary: ({ fresh }) => summary({ fresh, signal: new AbortController().signal }) }),
      /reason of an aborted signal/,
    ],
    [
      'reject in their own words',
      ({ summary }) => ({ summary: (o) => summary(o).catch(() => Promise.reject(new Error('no'))) }),
      /reason of a/,
    ],
    [
      'have empty stats for a failure',
      ({ summary }) => ({ summary: (o) => summary(o).catch(() => ({ pods: [] }) as never) }),
      /part fails/,
    ],
    ['have pages of JSON', () => ({ containerMetrics: async () => '{"a": 1}\n' }), /text format of Prometheus/],
    [
      'cannot report a failure',
      ({ containerMetrics }) => ({ resourceMetrics: containerMetrics }),
      /reports a failure on the resource page/,
    ],
  ])('notices stats that %s', async (_, change, promise) => {
    const failed = await failedCases(statsProviderSuite, () => tinySubject(change));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });
});
