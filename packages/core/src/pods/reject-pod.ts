import {
  type EventRecorder,
  type Pod,
  type PodAdmitResult,
  type PodStatus,
  podQosClass,
  podReference,
  type StatusManager,
} from '@nodeagent/api';

/** A pod that was not admitted has failed: Kubernetes documentation, "Pod Lifecycle". */
export function rejectPod(
  pod: Pod,
  { reason, message }: PodAdmitResult & { admit: false },
  { recorder, statusManager }: { recorder: EventRecorder; statusManager: Pick<StatusManager, 'setPodStatus'> },
): void {
  recorder.event(podReference(pod), 'Warning', reason, message);
  const status: PodStatus = {
    ...(pod.metadata?.generation && { observedGeneration: pod.metadata.generation }),
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    qosClass: podQosClass(pod),
  };
  statusManager.setPodStatus(pod, status);
}
