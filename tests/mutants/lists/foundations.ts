import { type Mutant, mutantsOf } from '../mutant.js';

/** Mutants of the packages for protocols, logs and shared helpers. */
export const foundationMutants: readonly Mutant[] = [
  ...mutantsOf(
    'api',
    ['back-off-never-ends', 'helpers/backoff.ts', 'now - entry.lastUpdate < delayOf(entry)', 'now - entry.lastUpdate >= 0'],
    ['lock-of-a-killed-process', 'files/exclusive-lock.ts', "finish(code === 'ECONNREFUSED' ? 'dead' : undefined)", 'finish(undefined)'],
    ['quantity-loses-a-remainder', 'helpers/quantity-format.ts', 'if (scale < 0 && mantissa % unit !== 0n) return undefined;', ''],
  ),
  ...mutantsOf(
    'container-logs',
    ['older-by-nanoseconds', 'read/timestamp.ts', 'a.nanos < b.nanos', 'a.nanos <= b.nanos'],
    [
      'missing-log-is-rotated',
      'plan-rotation.ts',
      "if (size === undefined) return [{ action: 'reopen' }];",
      'if (size === undefined) return [];',
    ],
  ),
  ...mutantsOf(
    'cri-client',
    ['message-beyond-its-end', 'wire.ts', 'if (end > reader.len)', 'if (end > reader.len + 1)'],
    [
      'streams-have-a-deadline',
      'deadline.ts',
      'if (requestTimeoutMs === 0 || method.streams) return 0;',
      'if (requestTimeoutMs === 0) return 0;',
    ],
  ),
  ...mutantsOf(
    'grpc',
    ['writes-without-waiting', 'serve-call.ts', 'if (!hasRoom) await', 'if (hasRoom) await'],
    [
      'live-socket-is-removed',
      'socket-file.ts',
      "if (errorCode(refusal) !== 'ECONNREFUSED' && errorCode(refusal) !== 'ENOENT') throw listenFailed(path, refusal);",
      '',
    ],
    ['ended-calls-stay-in-the-client', 'client/call.ts', '    this.#context.running.delete(this);\n', ''],
    [
      'ended-calls-stay-on-their-signal',
      'client/call.ts',
      "    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);\n",
      '',
    ],
    ['window-is-not-enforced', 'client/session.ts', '    stream.window.receive(payload.length);\n', ''],
  ),
  ...mutantsOf(
    'kube-client',
    ['back-off-never-resets', 'informer/watch-backoff.ts', 'if (now - last > resetMs) delay = firstMs;', ''],
    ['back-off-is-unbounded', 'informer/watch-backoff.ts', 'Math.min(2 * delay, maxDelayMs)', '2 * delay'],
    ['retries-without-an-end', 'request/retry.ts', ' || retries >= maxRetries) return undefined;', ') return undefined;'],
  ),
  ...mutantsOf(
    'streaming',
    ['long-control-frame', 'websocket/frames.ts', 'if (!fin || length > 125)', 'if (!fin)'],
    ['streams-are-unbounded', 'spdy/session.ts', 'this.#streams.size >= maxStreams || ', ''],
    [
      'no-status-is-success',
      'remote-command/exit-status.ts',
      "if (text === '') return { error: 'the connection ended without a status' };",
      "if (text === '') return { exitCode: 0 };",
    ],
  ),
  ...mutantsOf('yaml', ['deep-documents', 'read-yaml.ts', "if (stack.length > yamlLimits.depth) throw new YamlLimitError('depth');", '']),
];
