import { parseArgs } from 'node:util';
import type { Pleg } from './scenario-node.js';

/** The runtimes on which time is real. */
const realRuntimes = ['containerd', 'oci', 'embedded'] as const;
export type RuntimeKind = (typeof realRuntimes)[number];

export const usage = `Runs scenarios on the agent and compares its calls, events and statuses with those of a kubelet.

usage: npm run traces -- [options]

  --runtime R   "containerd": nodeagent run as a process, on a private containerd and API server, in real time, scenarios side by
                side (default; needs root and containerd 2); "oci": the same on the OCI runtime of nodeagent (needs root, crun and conmon);
                "embedded": the same on the embedded runtime, without unsupported scenarios;
                "memory": the agent on the runtime in memory, in virtual time: seconds for all
  --only NAME   only scenarios whose name matches; * is any text, ? one character, such as 'image-*'
  --show N      differing lines to print of each of calls, events and status (default 6)
  --out DIR     writes the traces to DIR/NAME.json; of a real runtime also the recordings cri.jsonl, audit.jsonl and agent.jsonl
  --restarts N  instead of comparing: kill the agent at N killTimes of each scenario at most, start another one, and see that no container
                is started twice, that pods end as they would have, and that nothing is left behind; on a real runtime once, by
                kill -9, in each of six scenarios that run side by side
  --events      in memory: let the agent follow the runtime's container events, instead of relisting once a second like the kubelet of the references
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

/** Parses the arguments; throws an error that names the invalid one. */
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
    if (!/^\d+$/.test(values[name])) throw new Error(`--${name} must be a number from 0 on, not "${values[name]}"`);
  }
  const { only, show, out, restarts, events, help } = values;
  const runtime = [...realRuntimes, 'memory' as const].find((each) => each === values.runtime);
  if (runtime === undefined) throw new Error(`--runtime must be containerd, oci, embedded or memory, not "${values.runtime}"`);
  return { runtime, only, show: Number(show), out, restarts: Number(restarts), pleg: events ? 'events' : 'listing', help };
}
