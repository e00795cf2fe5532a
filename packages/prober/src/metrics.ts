import type { Metrics, Pod } from '@nodeagent/api';
import type { ProbeType } from './probe-state.js';

/** The kubelet's probe metrics, and the number of missed ticks. */
export function createProberMetrics(metrics: Metrics) {
  const total = metrics.counter({
    name: 'prober_probe_total',
    help: 'Probes of containers, by result.',
    labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
  });
  const duration = metrics.histogram({
    name: 'prober_probe_duration_seconds',
    help: 'How long successful probes of containers took.',
    labels: ['probe_type', 'container', 'pod', 'namespace'],
  });
  const missed = metrics.counter({
    name: 'nodeagent_prober_missed_ticks_total',
    help: 'Probes skipped because the previous one was still running.',
    labels: ['probe_type'],
  });
  return {
    probed(type: ProbeType, { metadata }: Pod, container: string, result: 'Success' | 'Failure', seconds: number) {
      const { name: pod = '', namespace = '', uid = '' } = metadata ?? {};
      const labels = { probe_type: type, container, pod, namespace };
      total.inc({ ...labels, result: result === 'Success' ? 'successful' : 'failed', pod_uid: uid });
      if (result === 'Success') duration.observe(seconds, labels);
    },
    missed: (type: ProbeType, ticks: number) => missed.inc({ probe_type: type }, ticks),
  };
}
