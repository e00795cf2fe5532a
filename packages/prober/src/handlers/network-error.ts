import { errorMessage } from '@nodeagent/api';

/** The kubelet's message of a failed connection, for an error of `node:net` or `node:tls`. */
export function networkErrorText(error: unknown, address: string): string {
  const { code, syscall, hostname } = (error ?? {}) as { code?: string; syscall?: string; hostname?: string };
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  if (first !== undefined) return networkErrorText(first, address);
  const message = errorMessage(error);
  const known = code === undefined ? undefined : words[code];
  if (syscall === 'connect' && known) return `dial tcp ${address}: connect: ${known}`;
  if (syscall === 'getaddrinfo') return `dial tcp: lookup ${hostname}: no such host`;
  if (code === 'ECONNRESET' && /socket hang up|before secure TLS|peer closed/i.test(message)) return 'EOF';
  if (known) return `read tcp ${address}: read: ${known}`;
  if (/wrong version number|packet length too long/i.test(message)) return 'http: server gave HTTP response to HTTPS client';
  return message;
}

const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  EPIPE: 'broken pipe',
  ETIMEDOUT: 'connection timed out',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EMFILE: 'too many open files',
};
