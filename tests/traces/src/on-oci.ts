import type { Trace } from './trace.js';

/** What the kubelet reported in the words of containerd and runc, in the words of the OCI runtime of nodeagent and crun, and a placeholder of both. */
const words: readonly (readonly [ofContainerd: RegExp, ofOci: RegExp, placeholder: string])[] = [
  [
    /failed to create containerd task: .*?exec: "\/no\/such": stat \/no\/such: no such file or directory/g,
    /\S+ cannot create the container: executable file `\/no\/such` not found in \$PATH: No such file or directory/g,
    '<no such program>',
  ],
  [
    /failed to pull and unpack image \S+ failed to resolve image: .*? connect: connection refused/g,
    // The prefix of an event's message is the code that the CRI has for it.
    /(?:RegistryUnavailable: |image pull failed for \S+ because the registry is unavailable: )?failed to pull image \S+ \S+ connect ECONNREFUSED [\d.:]+/g,
    '<connection refused>',
  ],
];

/**
 * A trace without the words of a runtime, and with each report of an unavailable registry once: the OCI runtime reports it after some attempts, in ten
 * seconds, so that the second report may come after the end of the scenario.
 */
export function withoutWords(trace: Trace): Trace {
  const replace = (line: string) =>
    words.reduce((text, [ofContainerd, ofOci, placeholder]) => text.replace(ofContainerd, placeholder).replace(ofOci, placeholder), line);
  return { ...trace, events: trace.events.map(replace), status: trace.status.map(replace).filter(isFirstReport) };
}

/** By scenario, the positions of statuses that may be skipped, in the reference without repeated reports. */
export const skippableOnOci: Readonly<Record<string, readonly number[]>> = { 'image-missing': [4, 5] };

const isFirstReport = (line: string, index: number, lines: readonly string[]) =>
  !line.includes('<connection refused>') || lines.indexOf(line) === index;

/**
 * What an agent does on the OCI runtime where a kubelet did this on containerd: UpdatePodSandboxResources succeeds, and an unavailable registry
 * is reported as such, with the code that the kubelet has for it.
 */
export function onOci(trace: Trace): Trace {
  const calls = trace.calls.map(({ fails, ...call }) => (fails && call.call !== 'updatePodSandboxResources' ? { ...call, fails } : call));
  const { events, status } = withoutWords(trace);
  const named = (line: string) => line.replace(/\bErrImagePull(?=$|: <connection refused>)/g, 'RegistryUnavailable');
  return { ...trace, calls, events: events.map(named).sort(), status: status.map(named) };
}
