import { isIPv6, SocketAddress } from 'node:net';

const ipv4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/**
 * An IP address in the notation of Kubernetes; undefined for other texts. Like the kubelet it accepts leading zeros in IPv4 addresses, as
 * decimal digits.
 */
export function canonicalIP(text: string): string | undefined {
  const parts = ipv4.exec(text)?.slice(1).map(Number);
  if (parts !== undefined) return parts.every((part) => part <= 255) ? parts.join('.') : undefined;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
