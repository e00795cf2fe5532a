import { errorMessage, type Logger } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import type { ServedMethod } from '@nodeagent/grpc';
import { type OnCriCall, report } from './call-record.js';
import { criError } from './errors.js';
import type { CriMethodCodec, MethodTable } from './method.js';

/** The methods of a service, implemented by `target`; missing ones respond with Unimplemented. */
export function servedMethods(methods: MethodTable, target: object, { logger, onCall }: { logger: Logger; onCall?: OnCriCall }) {
  return Object.entries(methods).map(
    ([name, method]): ServedMethod => ({
      method: { ...method, response: { ...method.response, encode: (response) => encodeResponse(method, response) } },
      handle(request, signal) {
        const implementation: unknown = Reflect.get(target, name);
        if (typeof implementation !== 'function') {
          throw criError('CRI_UNIMPLEMENTED', `unknown method ${method.name} for service runtime.v1.${method.service}`);
        }
        // The call's own deadline is in the signal; a client behind this server must not add another.
        const options: CallOptions = { signal, timeoutMs: 0 };
        return Reflect.apply(implementation, target, [request, options]);
      },
      onEnd: onCall && ((end) => report(onCall, logger, method, end)),
    }),
  );
}

function encodeResponse(method: CriMethodCodec<unknown, unknown, boolean>, response: unknown): Buffer {
  try {
    return method.response.encode(response);
  } catch (cause) {
    throw criError('CRI_INTERNAL', `cannot encode the response of ${method.name}: ${errorMessage(cause)}`, { cause });
  }
}
