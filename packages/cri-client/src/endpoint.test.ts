import { describe, expect, it } from 'vitest';
import { createCriClient } from './client.js';
import { socketPath } from './endpoint.js';
import { callError, grpcCodeOf } from './errors.js';

describe('socketPath', () => {
  it('accepts a unix URL and an absolute path', () => {
    expect(socketPath('unix:///run/x.sock', 'endpoint')).toBe('/run/x.sock');
    expect(socketPath('/run/x.sock', 'endpoint')).toBe('/run/x.sock');
  });

  it.each(['', 'unix://', 'run/x.sock', 'tcp://localhost:1', 'npipe:////./pipe/x', 'unix://run/x.sock', `/${'a'.repeat(107)}`])(
    'rejects %j',
    (endpoint) => {
      expect(() => createCriClient({ endpoint })).toThrow(expect.objectContaining({ code: 'CRI_ENDPOINT_INVALID' }));
      const options = { endpoint: '/x', imageEndpoint: endpoint };
      expect(() => createCriClient(options)).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ field: 'imageEndpoint' }) }),
      );
    },
  );

  it('rejects an invalid timeout', () => {
    for (const timeoutMs of [-1, Number.NaN]) {
      expect(() => createCriClient({ endpoint: '/x', timeoutMs })).toThrow(
        expect.objectContaining({ code: 'InvalidOption', details: { field: 'timeoutMs' } }),
      );
    }
  });
});

describe('callError', () => {
  const unavailable = (details: string) => callError('Version', 'unix:///x', { code: 14, details }, undefined);

  it('has a hint for a socket that refuses the connection', () => {
    expect(unavailable('Last error: connect EACCES /x').hint).toContain('may not open unix:///x. Run it as root');
    expect(unavailable('Last error: connect ECONNREFUSED /x').hint).toContain('restart the container runtime');
    expect(unavailable('http://127.0.0.1:1/v2/x: connect ECONNREFUSED 127.0.0.1:1').hint).toBeUndefined();
    expect(unavailable('Last error: read ECONNRESET').hint).toBeUndefined();
  });

  it('maps every gRPC status to a code and back, and other errors to Unknown', () => {
    for (let code = 1; code <= 16; code++) expect(grpcCodeOf(callError('Status', '', { code, details: 'x' }, undefined).code)).toBe(code);
    expect(callError('Status', '', { code: 99, details: 'x' }, undefined)).toMatchObject({ code: 'CRI_UNKNOWN', details: { grpcCode: 2 } });
    expect(callError('Status', '', {}, undefined)).toMatchObject({
      code: 'CRI_UNKNOWN',
      message: 'the runtime sent no message with the status Unknown',
    });
    expect(grpcCodeOf('ENOENT')).toBe(2);
    expect(grpcCodeOf(undefined)).toBe(2);
  });

  it("has the message of the kubelet for the client's deadline, and that of the runtime for the runtime's", () => {
    const deadline = (details: string) => callError('Status', '', { code: 4, details }, undefined).message;
    expect(deadline('Deadline exceeded after 0.03s,name resolution: 0s')).toBe('context deadline exceeded');
    expect(deadline('the registry is slow')).toBe('the registry is slow');
  });
});
