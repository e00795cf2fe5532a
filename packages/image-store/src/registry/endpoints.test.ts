import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { defaultEndpoint } from './endpoint.js';
import { hostsFolderNames, hostsTomlEndpoints } from './hosts-toml.js';
import { registriesConfEndpoints } from './registries-conf.js';

describe('defaultEndpoint', () => {
  it.each([
    ['docker.io/library/nginx', 'https://registry-1.docker.io/v2'],
    ['ghcr.io/a/b', 'https://ghcr.io/v2'],
    ['localhost/a', 'http://localhost/v2'],
    ['localhost:5000/a', 'http://localhost:5000/v2'],
    ['127.0.0.1:5000/a', 'http://127.0.0.1:5000/v2'],
    ['localhost:443/a', 'https://localhost:443/v2'],
    ['localhost.example.com/a', 'https://localhost.example.com/v2'],
  ])('reaches %s at %s', (repository, url) => expect(defaultEndpoint(repository).url).toBe(url));
});

describe('hosts.toml', () => {
  const endpoints = (toml: string, repository = 'docker.io/library/nginx') =>
    hostsTomlEndpoints(parse(toml), repository, '/certs.d/docker.io');

  it('looks for the folder of the host and port, then for the default', () => {
    expect(hostsFolderNames('a:5000')).toEqual(['a_5000_', 'a:5000', '_default']);
    expect(hostsFolderNames('a')).toEqual(['a', '_default']);
  });

  it('tries the mirrors in their order, then the server', () => {
    const toml = `
      server = "https://registry.example.com"
      [host."https://mirror.local:5000"]
        capabilities = ["pull"]
        ca = ["ca.pem", "/etc/ca.pem"]
        client = [["c.pem", "k.pem"], ["both.pem"]]
        skip_verify = true
        [host."https://mirror.local:5000".header]
          X-Team = ["a", "b"]
      [host."http://other/prefix/v2/"]
        override_path = true`;
    expect(endpoints(toml)).toEqual([
      {
        url: 'https://mirror.local:5000/v2',
        repository: 'library/nginx',
        namespace: 'docker.io',
        canResolve: false,
        canPull: true,
        skipVerify: true,
        caFiles: ['/certs.d/docker.io/ca.pem', '/etc/ca.pem'],
        clientCertificates: [
          { certificate: '/certs.d/docker.io/c.pem', key: '/certs.d/docker.io/k.pem' },
          { certificate: '/certs.d/docker.io/both.pem' },
        ],
        headers: { 'x-team': 'a, b' },
      },
      { url: 'http://other/prefix/v2', repository: 'library/nginx', namespace: 'docker.io', canResolve: true, canPull: true },
      { url: 'https://registry.example.com/v2', repository: 'library/nginx', canResolve: true, canPull: true },
    ]);
  });

  it('reaches the registry itself without a server, and once if it is its own mirror', () => {
    expect(endpoints('').map(({ url }) => url)).toEqual(['https://registry-1.docker.io/v2']);
    expect(endpoints('server = "m.local"\n[host."https://m.local"]').map(({ url }) => url)).toEqual(['https://m.local/v2']);
  });

  it.each([
    ['host = 1', 'host must be a table'],
    ['server = 1', 'server must be a text'],
    ['server = "ftp://x"', 'server must be a URL of HTTP'],
    ['capabilities = ["fly"]', 'has the unknown capability fly'],
    ['skip_verify = "yes"', 'skip_verify must be true or false'],
    ['client = [["a", "b", "c"]]', 'pairs of certificate and key'],
  ])('refuses %s', (toml, message) => {
    expect(() => endpoints(toml)).toThrow(
      expect.objectContaining({ code: 'InvalidRegistryConfig', message: expect.stringContaining(message) }),
    );
  });
});

describe('registries.conf', () => {
  const toml = `
    [[registry]]
    prefix = "example.com"
    location = "example.com"
    [[registry]]
    prefix = "example.com/team"
    location = "internal.local:5000/mirror/team"
    insecure = true
    [[registry.mirror]]
    location = "m1.local/x"
    pull-from-mirror = "digest-only"
    [[registry.mirror]]
    location = "m2.local"
    [[registry]]
    prefix = "bad.example.com"
    blocked = true
    [[registry]]
    prefix = "*.wild.com"
    location = "one.local/wild"`;
  const places = (repository: string, isDigest = false) =>
    registriesConfEndpoints(parse(toml), repository, isDigest)?.map(
      ({ url, repository: path, skipVerify }) => `${url}/${path}${skipVerify ? ' unverified' : ''}`,
    );

  it('takes the longest prefix and rewrites it', () => {
    const own = ['https://internal.local:5000/v2/mirror/team/app unverified', 'http://internal.local:5000/v2/mirror/team/app'];
    expect(places('example.com/team/app')).toEqual(['https://m2.local/v2/app', ...own]);
    expect(places('example.com/team/app', true)).toEqual(['https://m1.local/v2/x/app', 'https://m2.local/v2/app', ...own]);
    expect(places('example.com/teams/app')).toEqual(['https://example.com/v2/teams/app']);
    expect(places('a.b.wild.com/app')).toEqual(['https://one.local/v2/wild/app']);
    expect(places('wild.com/app')).toBeUndefined();
  });

  it('refuses a blocked registry, and a configuration that is invalid', () => {
    expect(() => places('bad.example.com/x')).toThrow(expect.objectContaining({ code: 'RegistryBlocked' }));
    const refuse = (text: string) => () => registriesConfEndpoints(parse(text), 'a.io/b', false);
    expect(refuse('[registry.search]\nregistries = []')).toThrow('version 2');
    expect(refuse('[[registry]]\ninsecure = 1\nlocation = "a"')).toThrow('registry[0].insecure must be true or false');
    expect(refuse('[[registry]]\nblocked = true')).toThrow('must have a prefix or a location');
  });
});
