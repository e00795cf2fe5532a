import { isIPv4 } from 'node:net';
import { octets, oid, sequence, set, tagged, text, truth } from './der.js';
import { alternativeNameTags, attributeIds } from './object-ids.js';
import type { CertificateSubject } from './subject.js';

export function distinguishedName({ commonName, organizations = [] }: CertificateSubject): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), text(value)));
  return sequence(...organizations.map((each) => part(attributeIds.organization, each)), part(attributeIds.commonName, commonName));
}

export const extension = (id: string, value: Uint8Array, critical = false) =>
  sequence(oid(id), ...(critical ? [truth] : []), octets(value));

export const dnsName = (name: string) => tagged(alternativeNameTags.dns, Buffer.from(name));

export function ipAddress(address: string): Buffer {
  return tagged(alternativeNameTags.ip, isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address));
}

/** Uses the URL parser to normalise the address to its shortest form: hexadecimal groups with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
