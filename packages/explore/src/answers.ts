import type { ApiResponse } from '@nodeagent/test-api-server';

function failure(code: number, reason: string, message: string): ApiResponse {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
  return { status: code, headers: { 'content-type': 'application/json' }, body };
}

/** An API server that starts or is overloaded. */
export const unavailable = failure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');

const webhookUrl = 'https://webhook.default.svc:443/admit?timeout=10s';

/** A webhook with `failurePolicy: Fail` that cannot be called; `why` is that of the client in Go. */
const webhookFailure = (why: string) =>
  failure(
    500,
    'InternalError',
    `Internal error occurred: failed calling webhook "webhook.example.com": failed to call webhook: Post "${webhookUrl}": ${why}`,
  );

export const webhookTimeout = webhookFailure('context deadline exceeded');
export const webhookDown = webhookFailure('dial tcp 10.96.0.10:443: connect: connection refused');
