import type { Container, IntOrString } from '@nodeagent/api';
import { quoteText } from '@nodeagent/api/helpers';

/**
 * The number of a probe's port, which is a number, a port name of the target, or a number as a string. Throws with the kubelet's message.
 */
export function probePort(port: IntOrString, ports: Container['ports']): number {
  const number = typeof port === 'number' ? port : (ports?.find(({ name = '' }) => name === port)?.containerPort ?? parsePort(port));
  if (number >= 1 && number <= 65_535) return number;
  throw new Error(`invalid port number: ${number}`);
}

function parsePort(text: string): number {
  const number = Number(text);
  if (!/^[-+]?[0-9]+$/.test(text)) throw new Error(`strconv.Atoi: parsing ${quoteText(text)}: invalid syntax`);
  if (Math.abs(number) >= 2 ** 63) throw new Error(`strconv.Atoi: parsing ${quoteText(text)}: value out of range`);
  return number;
}

/** `host:port` with brackets around an IPv6 address. */
export function joinHostPort(host: string, port: number): string {
  return host.includes(':') || host.includes('%') ? `[${host}]:${port}` : `${host}:${port}`;
}
