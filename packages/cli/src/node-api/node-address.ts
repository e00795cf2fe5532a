import { readFileSync } from 'node:fs';
import { errorMessage } from '@nodeagent/api';
import type { DialUpgradeOptions } from '@nodeagent/streaming';
import { badUsage, type Flag, type FlagValues, text } from '../flags.js';

/** URL and credentials of a node's HTTP API. */
export interface NodeAddress {
  /** May have a path, for example that of the API server's proxy. */
  url: URL;
  /** The bearer token. */
  token?: string;
  tls: NonNullable<DialUpgradeOptions['tls']>;
}

const companions: Flag[] = [
  { name: 'token-file', value: 'FILE', help: 'with --server: file of the bearer token.' },
  { name: 'client-certificate', value: 'FILE', help: 'with --server: the client certificate, PEM.' },
  { name: 'client-key', value: 'FILE', help: 'with --server: the key of the client certificate, PEM.' },
  { name: 'certificate-authority', value: 'FILE', help: "with --server: CA of the node's certificate, PEM." },
  { name: 'insecure-skip-tls-verify', help: 'with --server: accept any certificate of the node.' },
];

/** Flags to query a node's HTTP API instead of the local agent. */
export const nodeFlags: Flag[] = [
  {
    name: 'server',
    value: 'URL',
    defaultText: 'the agent in --root-dir',
    help: 'query the HTTP API of a node, also of a kubelet, such as https://edge-1:10250.',
  },
  ...companions,
];

/** Reads the flags; undefined without `--server`. Throws `BAD_USAGE` naming the flag. */
export function nodeAddress(values: FlagValues): NodeAddress | undefined {
  if (values.server === undefined) {
    const alone = companions.find(({ name }) => values[name] !== undefined);
    if (alone) throw badUsage(`--${alone.name}: requires --server`);
    return undefined;
  }
  const file = (name: string) => (values[name] === undefined ? undefined : readFile(name, text(values, name)));
  const [cert, key, ca] = ['client-certificate', 'client-key', 'certificate-authority'].map(file);
  if ((cert === undefined) !== (key === undefined)) throw badUsage('--client-certificate and --client-key: each requires the other');
  const url = serverUrl(text(values, 'server'));
  const token = file('token-file')?.trim();
  if (token !== undefined && url.protocol === 'http:')
    throw badUsage('--token-file: requires an https:// URL, because http sends the token unencrypted');
  return {
    url,
    ...(token !== undefined && { token }),
    tls: {
      ...(cert !== undefined && { cert, key }),
      ...(ca !== undefined && { ca }),
      ...(values['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
  };
}

function serverUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw badUsage(`--server: "${given}" is not a URL such as https://edge-1:10250`);
}

function readFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw badUsage(`--${flag}: cannot read ${path}: ${errorMessage(error)}`, error);
  }
}
