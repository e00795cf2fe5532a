import { isInSubnet, isIP } from '@nodeagent/api/helpers';

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server according to the environment: `HTTPS_PROXY` or `HTTP_PROXY` by the server's scheme, in upper or lower case, but
 * none for this machine and the entries of `NO_PROXY`: hosts with their subdomains (`example.com`), only subdomains
 * (`.example.com`), addresses, ranges (`10.0.0.0/8`), each also with a port; `*` for all.
 */
export function proxyFor(server: URL, env: Environment): string | undefined {
  const variable = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[variable] || env[variable.toLowerCase()];
  if (!proxy || isExempt(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isExempt(server: URL, exceptions: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || matchesRange(host, '127.0.0.0/8') || host === '::1') return true;
  return exceptions
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry !== '' && (entry === '*' || matches(entry, host, port)));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return matchesRange(host, entry);
  const [, name = entry, entryPort] = isIP(entry) !== 0 ? [] : (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []);
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (domain === name && host === domain);
}

function matchesRange(host: string, range: string): boolean {
  const family = isIP(host);
  const [network = '', length = ''] = range.split('/');
  const bits = Number(length);
  if (family === 0 || isIP(network) !== family || length === '' || !(bits >= 0 && bits <= (family === 4 ? 32 : 128))) return false;
  return isInSubnet(host, network, bits);
}
