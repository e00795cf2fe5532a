import type { EventRecorder, Pod, PodAdmitResult, PodStatus, StatusManager } from '@nodeagent/api';
import { podQosClass, podReference } from '@nodeagent/api/helpers';

/** Why a pod was not admitted. */
export type PodRefusal = PodAdmitResult & { admit: false };

export interface RejectPodPorts {
  recorder: EventRecorder;
  statusManager: Pick<StatusManager, 'setPodStatus'>;
}

/** The status of a pod that was not admitted: it has failed. Kubernetes documentation, "Pod Lifecycle". */
export function rejectedPodStatus(pod: Pod, { reason, message }: PodRefusal): PodStatus {
  return {
    ...(pod.metadata?.generation && { observedGeneration: pod.metadata.generation }),
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    qosClass: podQosClass(pod),
  };
}

/** Reports that the pod was not admitted: a warning event, and {@link rejectedPodStatus}. The kubelet's `rejectPod`. */
export function rejectPod(pod: Pod, refusal: PodRefusal, { recorder, statusManager }: RejectPodPorts): void {
  recorder.event(podReference(pod), 'Warning', refusal.reason, refusal.message);
  statusManager.setPodStatus(pod, rejectedPodStatus(pod, refusal));
}
