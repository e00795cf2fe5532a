import type { ObjectInput, Scenario } from '../scenario.js';
import { job, scenario } from './objects.js';

const indexed = (completions: number, more: Record<string, unknown> = {}) => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});

const rule = (action: string, onExitCodes: object) => ({ action, onExitCodes: { operator: 'In', ...onExitCodes } });

export const jobScenarios: readonly Scenario[] = [
  scenario('job-parallel', async (s) => {
    await s.create(job('sum', { parallelism: 2, completions: 4 }, { run: 'exit=0@2' }));
    await s.step('running', 2.7);
    await s.step('done', 12);
    await s.delete('Job', 'sum', { propagationPolicy: 'Background' });
    await s.step('deleted', 4);
  }),
  scenario('job-work-queue', async (s) => {
    await s.create(job('sum', { parallelism: 3 }, { run: 'exit=0@1;exit=0@3' }));
    await s.step('done', 10);
  }),
  scenario('job-backoff-limit', async (s) => {
    await s.create(job('sum', { backoffLimit: 1 }, { run: 'exit=3@1' }));
    await s.step('first failure', 6);
    await s.step('failed', 14);
  }),
  scenario('job-backoff-limit-zero', async (s) => {
    await s.create(job('sum', { backoffLimit: 0, parallelism: 2, completions: 2 }, { run: 'exit=1@1;run' }));
    await s.step('failed', 8);
  }),
  scenario('job-deadline', async (s) => {
    await s.create(job('sum', { activeDeadlineSeconds: 4, parallelism: 2, completions: 2 }));
    await s.step('running', 3);
    await s.step('failed', 6);
  }),
  scenario('job-indexed', async (s) => {
    await s.create(job('sum', indexed(5, { parallelism: 2 }), { run: 'exit=0@1' }));
    await s.step('done', 16);
  }),
  scenario('job-indexed-retry', async (s) => {
    await s.create(job('sum', indexed(2), { run: 'exit=0@1', annotations: { 'scenario/run.1': 'exit=1@2;exit=0@1' } }));
    await s.step('waits', 7);
    await s.step('done', 14);
  }),
  scenario('job-index-backoff', async (s) => {
    await s.create(job('sum', indexed(3, { backoffLimitPerIndex: 0 }), { run: 'exit=0@1', annotations: { 'scenario/run.1': 'exit=1@1' } }));
    await s.step('failed indexes', 8);
  }),
  scenario('job-index-backoff-retry', async (s) => {
    await s.create(
      job('sum', indexed(3, { backoffLimitPerIndex: 1 }), { run: 'exit=0@1', annotations: { 'scenario/run.1': 'exit=1@1;exit=0@1' } }),
    );
    await s.step('waits', 6);
    await s.step('done', 14);
  }),
  scenario('job-max-failed-indexes', async (s) => {
    await s.create(
      job('sum', indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }), {
        annotations: { 'scenario/run.1': 'exit=1@1', 'scenario/run.2': 'exit=1@3' },
      }),
    );
    await s.step('failed', 9);
  }),
  scenario('job-policy-fail-job', async (s) => {
    await s.create(
      job(
        'sum',
        { parallelism: 2, completions: 2, podFailurePolicy: { rules: [rule('FailJob', { values: [42] })] } },
        { run: 'exit=42@1;run' },
      ),
    );
    await s.step('failed', 8);
  }),
  scenario('job-policy-ignore', async (s) => {
    const podFailurePolicy = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] };
    await s.create(job('sum', { backoffLimit: 0, podFailurePolicy }));
    await s.step('running', 3);
    await s.evict(s.pods()[0]?.metadata.name ?? '');
    await s.step('evicted', 4);
    await s.step('replaced', 12);
  }),
  scenario('job-policy-count', async (s) => {
    const podFailurePolicy = { rules: [rule('Count', { values: [1] }), rule('FailJob', { operator: 'NotIn', values: [1] })] };
    await s.create(job('sum', { backoffLimit: 1, podFailurePolicy }, { run: 'exit=1@1;exit=2@1' }));
    await s.step('failed', 18);
  }),
  scenario('job-policy-fail-index', async (s) => {
    const podFailurePolicy = { rules: [rule('FailIndex', { containerName: 'main', values: [42] })] };
    await s.create(
      job('sum', indexed(2, { backoffLimitPerIndex: 3, podFailurePolicy }), {
        run: 'exit=0@1',
        annotations: { 'scenario/run.0': 'exit=42@1' },
      }),
    );
    await s.step('failed', 8);
  }),
  scenario('job-success-policy', async (s) => {
    const successPolicy = { rules: [{ succeededIndexes: '0', succeededCount: 1 }] };
    await s.create(job('sum', indexed(3, { successPolicy }), { annotations: { 'scenario/run.0': 'exit=0@2' } }));
    await s.step('succeeded', 9);
  }),
  scenario('job-success-count', async (s) => {
    const successPolicy = { rules: [{ succeededCount: 2 }] };
    await s.create(
      job('sum', indexed(3, { successPolicy }), { annotations: { 'scenario/run.0': 'exit=0@1', 'scenario/run.1': 'exit=0@2' } }),
    );
    await s.step('succeeded', 9);
  }),
  scenario('job-suspend', async (s) => {
    await s.create(job('sum', { parallelism: 2, completions: 2, suspend: true }));
    await s.step('created suspended', 2);
    await s.patch('Job', 'sum', { spec: { suspend: false } });
    await s.step('resumed', 4);
    await s.patch('Job', 'sum', { spec: { suspend: true } });
    await s.step('suspended', 5);
    await s.patch('Job', 'sum', { spec: { suspend: false } });
    await s.step('resumed again', 14);
  }),
  scenario('job-parallelism', async (s) => {
    await s.create(job('sum', { parallelism: 1, completions: 5 }));
    await s.step('one', 3);
    await s.patch('Job', 'sum', { spec: { parallelism: 3 } });
    await s.step('three', 4);
    await s.patch('Job', 'sum', { spec: { parallelism: 1 } });
    await s.step('one again', 5);
    await s.patch('Job', 'sum', { spec: { parallelism: 0 } });
    await s.step('none', 5);
  }),
  scenario('job-elastic', async (s) => {
    await s.create(job('sum', indexed(2)));
    await s.step('two', 3);
    await s.patch('Job', 'sum', { spec: { parallelism: 4, completions: 4 } });
    await s.step('four', 4);
    await s.patch('Job', 'sum', { spec: { parallelism: 1, completions: 1 } });
    await s.step('one', 5);
  }),
  scenario('job-replaces-failed', async (s) => {
    await s.create(job('sum', { podReplacementPolicy: 'Failed' }));
    await s.step('running', 3);
    await s.delete('Pod', s.pods()[0]?.metadata.name ?? '');
    await s.step('terminating', 0.5);
    await s.step('failed', 4);
    await s.step('replaced', 12);
  }),
  scenario('job-replaces-terminating', async (s) => {
    await s.create(job('sum', {}));
    await s.step('running', 3);
    await s.delete('Pod', s.pods()[0]?.metadata.name ?? '');
    await s.step('terminating', 0.5);
    await s.step('failed', 4);
    await s.step('replaced', 12);
  }),
  scenario('job-ttl', async (s) => {
    await s.create(job('sum', { ttlSecondsAfterFinished: 4 }, { run: 'exit=0@1' }));
    await s.step('done', 4.5);
    await s.step('deleted', 8);
  }),
  scenario('job-orphan', async (s) => {
    await s.create(job('sum', { parallelism: 1 }));
    await s.step('running', 3);
    await s.delete('Job', 'sum', { propagationPolicy: 'Orphan' });
    await s.step('orphaned', 4);
  }),
  scenario('job-foreground', async (s) => {
    await s.create(job('sum', { parallelism: 2, completions: 2 }));
    await s.step('running', 3);
    await s.delete('Job', 'sum', { propagationPolicy: 'Foreground' });
    await s.step('deleted', 4);
  }),
  scenario('job-quota', async (s) => {
    await s.create({ kind: 'ResourceQuota', metadata: { name: 'pods' }, spec: { hard: { pods: '1' } } });
    await s.step('quota', 2);
    await s.create(job('sum', { parallelism: 2, completions: 2 }));
    await s.step('refused', 5);
  }),
  scenario('job-managed-by', async (s) => {
    await s.create(job('sum', { managedBy: 'example.com/other' }));
    await s.step('ignored', 3);
  }),
  scenario('job-restarts', async (s) => {
    await s.create(job('sum', { backoffLimit: 0 }, { spec: { restartPolicy: 'OnFailure', nodeSelector: { pool: 'shared' } } }));
    await s.step('running', 3);
    const [pod] = s.pods();
    const containerStatuses = pod?.status.containerStatuses.map((each: object) => ({ ...each, restartCount: 1 }));
    await s.patch('Pod', pod?.metadata.name ?? '', { status: { containerStatuses } }, { subresource: 'status' });
    await s.step('restarted', 5);
  }),
];

const cronJob = (name: string, spec: Record<string, unknown>, run: string): ObjectInput => {
  const { spec: jobSpec } = job('x', {}, { run });
  return {
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '* * * * *', jobTemplate: { metadata: { labels: { of: name } }, spec: jobSpec }, ...spec },
  };
};

export const cronJobScenarios: readonly Scenario[] = [
  scenario('cron-job-allow', async (s) => {
    await s.create(cronJob('tick', { successfulJobsHistoryLimit: 1 }, 'exit=0@1'));
    await s.step('three minutes', 185);
  }),
  scenario('cron-job-forbid', async (s) => {
    await s.create(cronJob('tick', { concurrencyPolicy: 'Forbid' }, 'run'));
    await s.step('two minutes', 135);
  }),
  scenario('cron-job-replace', async (s) => {
    await s.create(cronJob('tick', { concurrencyPolicy: 'Replace' }, 'run'));
    await s.step('two minutes', 135);
  }),
  scenario('cron-job-failed', async (s) => {
    const created = cronJob('tick', { failedJobsHistoryLimit: 1 }, 'exit=1@1');
    const spec = created.spec as { jobTemplate: { spec: object } };
    await s.create({
      ...created,
      spec: { ...spec, jobTemplate: { ...spec.jobTemplate, spec: { ...spec.jobTemplate.spec, backoffLimit: 0 } } },
    });
    await s.step('two minutes', 135);
  }),
  scenario('cron-job-suspended', async (s) => {
    await s.create(cronJob('tick', { suspend: true }, 'run'));
    await s.step('a minute', 65);
  }),
  scenario('cron-job-deleted', async (s) => {
    await s.create(cronJob('tick', {}, 'run'));
    await s.step('a minute', 65);
    await s.delete('Job', s.all('Job')[0]?.metadata.name ?? '', { propagationPolicy: 'Background' });
    await s.step('job deleted', 4);
    await s.delete('CronJob', 'tick');
    await s.step('deleted', 4);
  }),
];
