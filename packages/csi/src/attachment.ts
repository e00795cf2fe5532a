import type { VolumeAttachment } from '@nodeagent/api';

/** State of a VolumeAttachment. */
export interface CsiAttachmentStatus {
  attached: boolean;
  /** Why it is not attached, if known. */
  error?: string;
  /** Whether the attachment failed because the node has reached its volume limit. */
  resourceExhausted: boolean;
}

/** gRPC's RESOURCE_EXHAUSTED. */
const resourceExhaustedCode = 8;

export function csiAttachmentStatus(attachment: VolumeAttachment | undefined): CsiAttachmentStatus {
  if (attachment === undefined) return { attached: false, error: 'volume attachment has been deleted', resourceExhausted: false };
  const { metadata, status } = attachment;
  const resourceExhausted = status?.attachError?.errorCode === resourceExhaustedCode;
  if (metadata?.deletionTimestamp != null) return { attached: false, error: 'volume attachment is being deleted', resourceExhausted };
  if (status?.attached) return { attached: true, resourceExhausted };
  if (status?.attachError != null) return { attached: false, error: status.attachError.message ?? '', resourceExhausted };
  return { attached: false, resourceExhausted };
}
