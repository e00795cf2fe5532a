import { parseArgs } from 'node:util';
import type { RuntimeKind } from './real-runtime.js';
import type { Pleg } from './scenario-node.js';

export const usage = `Runs scenarios on the agent and compares what it does, call by call, with what a kubelet did.

usage: npm run traces -- [options]

  --runtime R   "containerd": nodeagent run as a process, on a containerd and an API server of its own, in real time, scenarios side by
                side (default; needs root and containerd 2); "embedded": the same on the embedded runtime, with what that can run;
                "memory": the agent on the runtime in memory, in virtual time: seconds for all
  --only NAME   only scenarios whose name matches; * is any text, ? one character, such as 'image-*'
  --show N      differing lines to print of each of calls, events and status (default 6)
  --out DIR     writes the traces to DIR/NAME.json; of a real runtime also cri.jsonl, audit.jsonl and agent.jsonl: all that was recorded
  --restarts N  instead of comparing: kill the agent at N moments of each scenario at most, start another one, and see that no container
                is started twice, that pods end as they would have, and that nothing is left behind; on a real runtime once, by
                kill -9, in each of six scenarios that run side by side
  --events      in memory: let the agent follow the runtime's container events, where the kubelet of the references lists once a second
  --help        this text

exit code: 0 all agree (or survive), 1 a scenario differs or has no reference, 2 bad arguments`;

export interface Settings {
  runtime: RuntimeKind | 'memory';
  only: string;
  show: number;
  out: string | undefined;
  restarts: number;
  pleg: Pleg;
  help: boolean;
}

/** Reads and checks the arguments; throws with the name of one that is wrong. */
export function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runtime: { type: 'string', default: 'containerd' },
      only: { type: 'string', default: '*' },
      show: { type: 'string', default: '6' },
      out: { type: 'string' },
      restarts: { type: 'string', default: '0' },
      events: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['show', 'restarts'] as const) {
    if (!/^\d+$/.test(values[name])) throw new Error(`--${name} takes a number from 0 on, not "${values[name]}"`);
  }
  const { runtime, only, show, out, restarts, events, help } = values;
  if (runtime !== 'containerd' && runtime !== 'embedded' && runtime !== 'memory') {
    throw new Error(`--runtime takes containerd, embedded or memory, not "${runtime}"`);
  }
  return { runtime, only, show: Number(show), out, restarts: Number(restarts), pleg: events ? 'events' : 'listing', help };
}
