import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { parseArgs } from 'node:util';

/** A call of `kubectl get ns NAME` with the flags by which jenvtest and kube-api-test check that the server is ready. */
export interface NamespaceCheck {
  name: string;
  server: string;
  cert: string;
  key: string;
  ca: string;
}

/** The check that the arguments are; undefined for any other command. */
export function namespaceCheckOf(args: readonly string[]): NamespaceCheck | undefined {
  const text = { type: 'string' } as const;
  const options = { server: text, 'client-certificate': text, 'client-key': text, 'certificate-authority': text, 'request-timeout': text };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  const [command, resource = '', name, ...rest] = positionals;
  const { server, 'client-certificate': cert, 'client-key': key, 'certificate-authority': ca } = values;
  const isCheck = command === 'get' && ['ns', 'namespace', 'namespaces'].includes(resource) && name !== undefined && rest.length === 0;
  if (!isCheck || ![server, cert, key, ca].every((value) => typeof value === 'string')) return undefined;
  return { name, server, cert, key, ca } as NamespaceCheck;
}

/** Whether the server answers with the namespace. */
export async function hasNamespace({ name, server, cert, key, ca }: NamespaceCheck): Promise<boolean> {
  const files = { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
  return new Promise((resolve, reject) => {
    request(new URL(`/api/v1/namespaces/${encodeURIComponent(name)}`, server), files, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .once('error', reject)
      .end();
  });
}
