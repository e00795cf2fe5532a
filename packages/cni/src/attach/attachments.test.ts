import { describe, expect, it } from 'vitest';
import { parseNetwork } from '../config/parse-network.js';
import { cniErrorCodes } from '../errors.js';
import { cacheEntryName, decodeCacheEntry, encodeCacheEntry } from './cache-entry.js';
import { checkAttachment } from './check-attachment.js';
import { podArgs, podCapabilities } from './pod-args.js';

describe('checkAttachment', () => {
  it.each([
    ['containerId', { containerId: '' }],
    ['containerId', { containerId: '../x' }],
    ['containerId', { containerId: '.a' }],
    ['containerId', { containerId: 'a'.repeat(201) }],
    ['ifName', { ifName: '' }],
    ['ifName', { ifName: '..' }],
    ['ifName', { ifName: 'a b' }],
    ['ifName', { ifName: 'a/b' }],
    ['ifName', { ifName: 'a:b' }],
    ['ifName', { ifName: 'abcdefghijklmnop' }],
    ['args', { args: [['a=', 'b']] as const }],
    ['args', { args: [['a', 'b;c=d']] as const }],
    ['netns', { netns: '/a\0b' }],
  ])('refuses an invalid %s: %j', (field, part) => {
    expect(() => checkAttachment({ containerId: 'a', netns: '', ...part })).toThrow(
      expect.objectContaining({ code: cniErrorCodes.invalidAttachment, details: expect.objectContaining({ field }) }),
    );
  });

  it('completes a valid one', () => {
    expect(checkAttachment({ containerId: 'a-1._B', netns: '' })).toEqual({ containerId: 'a-1._B', netns: '', ifName: 'eth0', args: [] });
  });
});

describe('podCapabilities', () => {
  it('passes host ports, bandwidth, DNS, aliases and the cgroup', () => {
    const capabilities = podCapabilities({
      annotations: { 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '1k' },
      portMappings: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 53, hostPort: 53, protocol: 'UDP', hostIp: '10.0.0.1' },
        { containerPort: 81 },
        { containerPort: 82, hostPort: 0 },
      ],
      dnsConfig: { servers: ['10.0.0.10'] },
      aliases: ['web'],
      cgroupPath: '/kubepods/x',
    });
    expect(capabilities).toEqual({
      portMappings: [
        { hostPort: 8080, containerPort: 80, protocol: 'tcp' },
        { hostPort: 53, containerPort: 53, protocol: 'udp', hostIP: '10.0.0.1' },
      ],
      bandwidth: { ingressRate: 10_000_000, ingressBurst: 2147483647, egressRate: 1000, egressBurst: 2147483647 },
      dns: { servers: ['10.0.0.10'], searches: [], options: [] },
      aliases: ['web'],
      cgroupPath: '/kubepods/x',
    });
    expect(podCapabilities({})).toEqual({});
  });

  it.each(['999', '2P', '-1k', '0'])('refuses a bandwidth of %s', (text) => {
    expect(() => podCapabilities({ annotations: { 'kubernetes.io/ingress-bandwidth': text } })).toThrow(
      `annotation kubernetes.io/ingress-bandwidth must be between 1k and 1P bits a second, got "${text}"`,
    );
  });

  it('describes the pod in CNI_ARGS', () => {
    expect(
      podArgs('c1', { namespace: 'd', name: 'web', uid: 'u1' })
        .map((pair) => pair.join('='))
        .join(';'),
    ).toBe('IgnoreUnknown=1;K8S_POD_NAMESPACE=d;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=c1;K8S_POD_UID=u1');
  });
});

describe('cache entries', () => {
  const network = parseNetwork({ name: 'x', text: '{"cniVersion":"1.0.0","name":"net","plugins":[{"type":"ptp","9":1,"1":2}]}' });
  const entry = {
    containerId: 'c1',
    ifName: 'eth0',
    netns: '/run/netns/c1',
    network,
    args: [['a', 'b=c']] as [string, string][],
    capabilityArgs: { mac: 'x' },
    result: { cniVersion: '0.4.0' as const, ips: [{ address: '10.0.0.2/24' }] },
  };
  const name = cacheEntryName('net', 'c1', 'eth0');

  it('have the form of the reference library', () => {
    const { config, ...rest } = JSON.parse(encodeCacheEntry(entry));
    expect(name).toBe('net-c1-eth0');
    expect(JSON.parse(atob(config))).toMatchObject({ name: 'net', plugins: [{ type: 'ptp' }] });
    expect(rest).toEqual({
      kind: 'cniCacheV1',
      containerId: 'c1',
      ifName: 'eth0',
      networkName: 'net',
      netns: '/run/netns/c1',
      cniArgs: [['a', 'b=c']],
      capabilityArgs: { mac: 'x' },
      result: { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }], dns: {} },
    });
  });

  it('are read as they were written, also without a result', () => {
    expect(decodeCacheEntry(name, encodeCacheEntry(entry))).toEqual(entry);
    const { result, ...unfinished } = entry;
    expect(decodeCacheEntry(name, encodeCacheEntry(unfinished))).toEqual(unfinished);
  });

  it('of the reference library may have nulls', () => {
    const text = JSON.stringify({ ...JSON.parse(encodeCacheEntry(entry)), cniArgs: null, capabilityArgs: null, netns: undefined });
    expect(decodeCacheEntry(name, text)).toEqual({ ...entry, args: [], capabilityArgs: {}, netns: '' });
  });

  it.each([
    ['truncated', (text: string) => text.slice(0, 80)],
    ['empty', () => ''],
    ['another kind', (text: string) => text.replace('cniCacheV1', 'v2')],
    ['another container', (text: string) => text.replace('"c1"', '"c2"')],
    ['a damaged configuration', (text: string) => text.replace(/"config":"..../, '"config":"')],
    ['a damaged result', (text: string) => text.replace('10.0.0.2/24', '10.0.0.2')],
  ])('are refused when damaged: %s', (_, damage) => {
    expect(() => decodeCacheEntry(name, damage(encodeCacheEntry(entry)))).toThrow();
  });
});
