import { describe, expect, it } from 'vitest';
import { readRunOptions } from './run-options.js';

const read = (...args: string[]) => readRunOptions(['--root-dir', '/r', ...args], {}, true).server;

describe('the flags of the HTTP API', () => {
  it("disable the server without a cluster, and have the kubelet's defaults in one", () => {
    expect(read()).toBeUndefined();
    expect(read('--kubeconfig', '/etc/k')).toEqual({
      https: { port: 10_250, authentication: { anonymous: false, webhook: true }, authorization: { mode: 'Webhook' } },
      healthz: { port: 10_248, address: '127.0.0.1' },
      settings: {},
    });
    expect(read('--kubeconfig', '/etc/k', '--port', '0')).toBeUndefined();
    expect(readRunOptions(['--root-dir', '/r', '--kubeconfig', '/etc/k', '--ui'], {}, true)).toMatchObject({
      server: { https: { port: 10_250 } },
      ui: true,
    });
    expect(read('--kubeconfig', '/etc/k', '--enable-heap-snapshots')).toMatchObject({
      https: { port: 10_250 },
      settings: { enableHeapSnapshots: true },
    });
    expect(read('--healthz-port', '1')).toMatchObject({ healthz: { port: 1 } });
  });

  it('set the options of the server', () => {
    const files = ['--tls-cert-file', '/c', '--tls-private-key-file', '/k', '--client-ca-file', '/ca'];
    expect(read('--port', '1', '--address', '::1', '--read-only-port', '2', '--healthz-port', '0', ...files)).toEqual({
      https: {
        port: 1,
        address: '::1',
        tls: { certFile: '/c', keyFile: '/k', clientCAFile: '/ca' },
        authentication: { anonymous: false, webhook: false },
        authorization: { mode: 'AlwaysAllow' },
      },
      readOnly: { port: 2, address: '::1' },
      settings: {},
    });
  });

  it.each([
    [['--port', '70000'], '--port: "70000" is not a port'],
    [['--port', '1'], '--port: no client could authenticate'],
    [['--ui'], '--ui: requires --port'],
    [['--enable-heap-snapshots'], '--enable-heap-snapshots: requires --port'],
    [['--port', '1', '--client-ca-file', '/c', '--authorization-mode', 'Webhook'], '--authorization-mode: Webhook requires --kubeconfig'],
    [['--port', '1', '--authentication-token-webhook', 'true'], '--authentication-token-webhook: requires --kubeconfig'],
    [['--port', '1', '--anonymous-auth', 'true', '--tls-cert-file', '/c'], '--tls-cert-file and --tls-private-key-file'],
    [['--port', '1', '--anonymous-auth', 'true', '--address', 'here'], '--address: "here" is not an IP address'],
    [['--kubeconfig', '/k', '--authorization-mode', 'ABAC'], '--authorization-mode: "ABAC" is not one of'],
  ])('%j: %s', (args, message) => {
    expect(() => read(...args)).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message: expect.stringContaining(message) }));
  });
});
