import { NodeAgentError } from '@nodeagent/api';
import { cniErrorCodes } from '../errors.js';
import type { CniAttachment } from '../types.js';

const containerIdPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const maxContainerId = 200;
/** The kernel's IFNAMSIZ, without the final NUL. */
const maxInterfaceName = 15;

/** The attachment with its defaults. Throws `InvalidAttachment` naming the field. CNI specification, "Parameters". */
export function checkAttachment(attachment: CniAttachment): CniAttachment & Required<Pick<CniAttachment, 'ifName' | 'args'>> {
  const { ifName = 'eth0', args = [] } = attachment;
  checkContainerId(attachment.containerId);
  if (ifName === '' || ifName === '.' || ifName === '..' || ifName.length > maxInterfaceName || /[/:\s\0]/.test(ifName))
    throw invalid('ifName', `be a name of at most ${maxInterfaceName} characters without "/", ":" and white space`, ifName);
  if (attachment.netns.includes('\0')) throw invalid('netns', 'be a path', attachment.netns);
  for (const [name, value] of args) {
    if (!/^[^=;\0]+$/.test(name)) throw invalid('args', 'have names without "=" and ";"', name);
    if (/[;\0]/.test(value)) throw invalid('args', 'have values without ";"', value);
  }
  return { ...attachment, ifName, args };
}

/** The ID, which is part of file names. Throws `InvalidAttachment`. */
export function checkContainerId(containerId: string): string {
  if (containerIdPattern.test(containerId) && containerId.length <= maxContainerId) return containerId;
  const rule = `be at most ${maxContainerId} letters, digits, "_", "." or "-", beginning with a letter or digit`;
  throw invalid('containerId', rule, containerId);
}

function invalid(field: string, rule: string, value: unknown): NodeAgentError {
  const shown = JSON.stringify(value) ?? String(value);
  return new NodeAgentError(cniErrorCodes.invalidAttachment, `${field} must ${rule}, got ${shown}`, { details: { field, value } });
}
