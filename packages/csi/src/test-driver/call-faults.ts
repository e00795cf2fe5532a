import { type csiNodeService, type Implementation, type PluginService, statusError } from '@nodeagent/plugin-api';
import type { CsiCall, CsiFault } from './driver-types.js';

type Request = Readonly<Record<string, unknown>>;

/** The faults that wait for their calls. */
export interface CallFaults {
  add(method: CsiCall['method'], fault: CsiFault): void;
  /** Wraps the methods with recording and faults. */
  wrap(methods: Implementation<typeof csiNodeService>): Implementation<PluginService>;
}

interface CallFaultsPorts {
  onCall(call: CsiCall): void;
  crash(): void;
}

export function createCallFaults({ onCall, crash }: CallFaultsPorts): CallFaults {
  const faults: { method: CsiCall['method']; fault: CsiFault; left: number }[] = [];

  function take(method: CsiCall['method']): CsiFault {
    const entry = faults.find((candidate) => candidate.method === method);
    if (entry !== undefined && --entry.left === 0) faults.splice(faults.indexOf(entry), 1);
    return entry?.fault ?? {};
  }

  async function respond(method: CsiCall['method'], request: Request, signal: AbortSignal, answer: () => object): Promise<object> {
    onCall({ method, request });
    const fault = take(method);
    if (fault.crash) crash();
    if (fault.crash || fault.hang) await aborted(signal);
    const error = fault.status && statusError(fault.status, fault.message ?? 'injected fault');
    if (error !== undefined && !fault.afterwards) throw error;
    const response = answer();
    if (error !== undefined) throw error;
    return response;
  }

  return {
    add(method, fault) {
      faults.push({ method, fault, left: fault.times ?? 1 });
    },
    wrap(methods) {
      const wrapped = Object.entries(methods).map(([key, implementation]) => {
        const method = key as CsiCall['method'];
        const answer = implementation as (request: Request, signal: AbortSignal) => object;
        return [key, async (request: Request, signal: AbortSignal) => respond(method, request, signal, () => answer(request, signal))];
      });
      return Object.fromEntries(wrapped);
    },
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
