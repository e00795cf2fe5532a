import assert from 'node:assert/strict';
import type { StatsProvider } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';
import { never, rejectsWithReason, type SummarySourceSubject, summaryCases, within } from './summary-cases.js';

/** A stats provider under test, and the node that it measures. */
export interface StatsProviderSubject extends SummarySourceSubject {
  stats: StatsProvider;
}

/** The promises of `SummarySource` of `@nodeagent/api`. */
export const summarySourceSuite: Suite<SummarySourceSubject> = { name: 'SummarySource', cases: summaryCases };

/** The promises of `StatsProvider` of `@nodeagent/api`: a summary source with pages for Prometheus. */
export const statsProviderSuite: Suite<StatsProviderSubject> = {
  name: 'StatsProvider',
  cases: [
    ...summaryCases,
    {
      name: 'has pages in the text format of Prometheus',
      async run(subject) {
        const { stats } = subject;
        checkPage(await within(subject, stats.containerMetrics({ signal: never() })));
        checkPage(await within(subject, stats.resourceMetrics({ signal: never() })));
      },
    },
    {
      name: "has the container's memory and no error on the resource page",
      async run(subject) {
        const { name, pod } = subject.container;
        await subject.use(5n << 20n);
        await within(subject, subject.stats.summary({ fresh: true, signal: never() }));
        const page = await within(subject, subject.stats.resourceMetrics({ signal: never() }));
        const line = page.split('\n').find((each) => each.startsWith('container_memory_working_set_bytes{') && each.includes(`"${name}"`));
        assert.ok(line, 'has the container');
        assert.ok(line.includes(`namespace="${pod.namespace}"`) && line.includes(`pod="${pod.name}"`), line);
        assert.equal(Number(line.replace(/^[^}]*} /, '').split(' ')[0]), 5 * 2 ** 20);
        assert.match(page, /^resource_scrape_error 0$/m);
      },
    },
    {
      name: 'rejects a page with the reason of an aborted signal',
      async run(subject) {
        const { stats } = subject;
        await rejectsWithReason(subject, (signal) => stats.containerMetrics({ signal }));
        await rejectsWithReason(subject, (signal) => stats.resourceMetrics({ signal }));
      },
    },
    {
      name: 'reports a failure on the resource page, and rejects the container page',
      capability: 'failures',
      async run(subject) {
        const { stats } = subject;
        await subject.setFailing?.(true);
        await assert.rejects(within(subject, stats.containerMetrics({ signal: never() })));
        const page = await within(subject, stats.resourceMetrics({ signal: never() }));
        assert.match(page, /^resource_scrape_error 1$/m);
      },
    },
  ],
};

const comment = /^# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+$|^# EOF$/;
const sample =
  /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z_][a-zA-Z0-9_]*="(\\.|[^"\\])*"(,[a-zA-Z_][a-zA-Z0-9_]*="(\\.|[^"\\])*")*,?\})? \S+( -?\d+)?$/;

/** Prometheus documentation, "Exposition formats". */
function checkPage(page: string): void {
  assert.ok(page.endsWith('\n'), 'the last line ends');
  for (const line of page.split('\n')) assert.ok(line === '' || comment.test(line) || sample.test(line), line);
  assert.ok(
    page.split('\n').some((line) => sample.test(line)),
    'has samples',
  );
}
