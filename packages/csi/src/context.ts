import {
  type Clock,
  errorMessage,
  type Logger,
  type ObjectGetter,
  type Secret,
  type SecretReference,
  type TokenRequest,
  type VolumeAttachment,
} from '@nodeagent/api';
import type { VolumePaths } from '@nodeagent/api/helpers';
import { csiAttachmentStatus } from './attachment.js';
import { type CallCsiNode, createDriverCalls, type DriverCalls, withOperationTimeout } from './calls.js';
import { type Drivers, isAttachRequired } from './drivers.js';
import { finalFailure, transientFailure } from './failures.js';
import type { VolumeFiles } from './files.js';
import { csiAttachmentName } from './names.js';

/** Applies the group to the files below `path`; `policy` is the `fsGroupChangePolicy`. */
export type ApplyFsGroup = (
  mount: { path: string; fsGroup: number; policy?: string; readOnly: boolean },
  signal: AbortSignal,
) => Promise<void>;

/** Requests a token of a pod's service account. */
export type RequestServiceAccountToken = (
  namespace: string,
  serviceAccount: string,
  request: TokenRequest,
  signal: AbortSignal,
) => Promise<TokenRequest>;

/** State and ports of the CSI plugin. */
export interface PluginContext {
  paths: VolumePaths;
  nodeName: string;
  drivers: Drivers;
  callNode: CallCsiNode;
  files: VolumeFiles;
  volumeAttachments: ObjectGetter<VolumeAttachment> | undefined;
  secrets: ObjectGetter<Secret> | undefined;
  serviceAccountToken: RequestServiceAccountToken | undefined;
  applyFsGroup: ApplyFsGroup | undefined;
  supportsSELinux: ((path: string) => Promise<boolean>) | undefined;
  clock: Clock;
  logger: Logger;
}

/** Runs one operation with a driver; the timeout of all its calls is two minutes. */
export function withDriver<T>(
  context: PluginContext,
  driver: string,
  doing: string,
  signal: AbortSignal,
  work: (calls: DriverCalls, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withOperationTimeout(context.clock, signal, (limited) =>
    work(createDriverCalls(context.drivers.require(driver, doing), context.callNode, limited), limited),
  );
}

/** Whether the driver requires an attachment; false without access to VolumeAttachments. */
export async function isAttachable({ drivers, volumeAttachments }: PluginContext, driver: string, signal?: AbortSignal): Promise<boolean> {
  return volumeAttachments !== undefined && isAttachRequired(await drivers.spec(driver, signal));
}

/** Resolves to the VolumeAttachment; rejects if the volume is not attached. Reads once, does not wait. */
export async function requireAttachment(
  { volumeAttachments, nodeName }: PluginContext,
  driver: string,
  volumeHandle: string,
  signal: AbortSignal,
): Promise<VolumeAttachment> {
  const name = csiAttachmentName(volumeHandle, driver, nodeName);
  const attachment = await volumeAttachments?.get({ name }, { signal }).catch((error: unknown) => {
    throw finalFailure(`volume ${volumeHandle} has GET error for volume attachment ${name}: ${errorMessage(error)}`, error);
  });
  const { attached, error } = csiAttachmentStatus(attachment);
  if (attachment === undefined || !attached) {
    throw finalFailure(error ?? `volume ${volumeHandle} is not attached for volume attachment ${name}`);
  }
  return attachment;
}

/** The publish context of the VolumeAttachment; empty if the driver requires no attachment. */
export async function publishContextOf(
  context: PluginContext,
  driver: string,
  volumeHandle: string,
  doing: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  try {
    if (!(await isAttachable(context, driver, signal))) return {};
    const name = csiAttachmentName(volumeHandle, driver, context.nodeName);
    const attachment = await context.volumeAttachments?.get({ name }, { signal });
    return attachment?.status?.attachmentMetadata ?? {};
  } catch (error) {
    throw transientFailure(`${doing}: ${errorMessage(error)}`, error);
  }
}

/** Reads a secret for the driver; empty without a reference. Errors name the secret, never its content. */
export async function readSecret(
  { secrets }: PluginContext,
  field: string,
  reference: SecretReference | undefined,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (reference === undefined) return {};
  const { name = '', namespace = '' } = reference;
  try {
    if (secrets === undefined) throw new Error('no getter for secrets is configured');
    const { data = {} } = await secrets.get({ name, namespace }, { signal });
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  } catch (error) {
    throw transientFailure(`fetching ${field} ${namespace}/${name} failed: ${errorMessage(error)}`, error);
  }
}
