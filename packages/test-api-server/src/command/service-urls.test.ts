import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readServiceUrls, writeServiceCertificate } from './service-urls.js';

it('finds the URL of a Service', () => {
  const urls = readServiceUrls(['default/hooks=https://127.0.0.1:9443', 'apps/api=http://[::1]:80/']);
  expect([urls('default', 'hooks'), urls('apps', 'api'), urls('apps', 'hooks')]).toEqual([
    'https://127.0.0.1:9443',
    'http://[::1]:80',
    undefined,
  ]);
});

it('writes a certificate for Services to a folder', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'service-')), 'certs');
  const hosts: string[] = [];
  const issueServerCertificate = (names: readonly string[]) => {
    hosts.push(...names);
    return { cert: 'CERT', key: 'KEY' };
  };
  writeServiceCertificate({ issueServerCertificate }, folder, ['default/hooks=https://127.0.0.1:9443']);
  expect(hosts).toEqual(['hooks.default.svc', 'hooks.default.svc.cluster.local']);
  expect(['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['CERT', 'KEY']);
  expect(statSync(join(folder, 'tls.key')).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});

it.each(['hooks=https://127.0.0.1', 'default/hooks', 'default/hooks=ftp://a', 'default/hooks=https://a:b', 'default/hooks=https://a/path'])(
  'refuses %s',
  (text) => {
    expect(() => readServiceUrls([text])).toThrow(`serviceUrls must be NAMESPACE/NAME=URL with a URL such as https://127.0.0.1:9443`);
  },
);
