import { differences } from './compare.js';
import type { Mask, Recorded } from './mask.js';

/** Changes each of the two outputs in the same way. */
const both =
  (change: (output: Recorded, input: Recorded) => unknown): Mask['hide'] =>
  ({ expected, actual, input }) => ({ expected: change(expected, input), actual: change(actual, input) });

/** Changes every text in an output. */
function mapTexts(output: Recorded, change: (text: string) => string): Recorded {
  return JSON.parse(JSON.stringify(output), (_key, value) => (typeof value === 'string' ? change(value) : value));
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Two parallel lists of steps, or the recorded and the replayed output themselves. */
function eachPair(expected: Recorded, actual: Recorded, change: (expected: Recorded, actual: Recorded) => void): void {
  const [steps, replayed] = [expected?.steps ?? [expected], actual?.steps ?? [actual]];
  for (const [index, step] of steps.entries()) if (step && replayed[index]) change(step, replayed[index]);
}

// Deliberate differences of the agent.

export const backOffOncePerWait: Mask = {
  name: 'one BackOff event for each wait',
  reason: 'the kubelet records the event at every sync during a wait and relies on the correlator to count them',
  hide({ expected, actual }) {
    let wait: string | undefined;
    for (const step of expected) {
      if (step === null) continue;
      if (step.inBackOff && step.backOffExpiry === wait) step.events = [];
      wait = step.backOffExpiry ?? undefined;
    }
    return { expected, actual };
  },
};

export const neverClosedCompletions: Mask = {
  name: 'completions that the kubelet never closes',
  reason: 'the agent also completes the kill of a pod that is removed without having run; its caller would wait for ever',
  hide({ expected, actual }) {
    const closed = new Set(expected.flatMap(({ completed }: Recorded) => completed ?? []));
    for (const step of actual) step.completed = step.completed.filter((id: number) => closed.has(id));
    return { expected, actual };
  },
};

export const runtimePodKill: Mask = {
  name: 'grace period of pods that only the runtime knows',
  reason: 'their sync has no such argument: it takes 1 s',
  hide: both((steps) => {
    for (const step of steps) if (step.runtimePod) delete step.gracePeriodOverride;
    return steps;
  }),
};

export const evictFlag: Mask = {
  name: 'evict flag in the work of a sync',
  reason: 'no sync reads it',
  hide: both((steps) => {
    for (const step of steps) delete step.evict;
    return steps;
  }),
};

export const containersAboutToStart: Mask = {
  name: 'garbage of pods with a container that is about to start',
  reason: 'the kubelet counts a container created in the last two minutes as dead; the agent does not, so that it keeps the exited one',
  hide: both((output, { containers, podsContentShouldBeRemoved, policy }) => {
    const starting = containers.filter(
      ({ state, ageSeconds, podUID }: Recorded) =>
        state === 'CREATED' && ageSeconds < 120 && !(podsContentShouldBeRemoved ?? []).includes(podUID),
    );
    const isLimited = policy.maxContainers >= 0;
    // A limit of the node counts the containers of all pods.
    const isStarting = (id: string) => starting.some(({ podUID }: Recorded) => isLimited || id.startsWith(`${podUID}-`));
    const others = (ids: string[] | null) => ids?.filter((id) => !isStarting(id));
    return Object.fromEntries(Object.entries<string[] | null>(output).map(([what, ids]) => [what, others(ids)]));
  }),
};

export const healthErrorCause: Mask = {
  name: 'cause behind the PLEG health text',
  reason: "the agent appends the last relist's error to the kubelet's text",
  hide: both((steps) => {
    for (const step of steps) step.healthError = step.healthError.split('; last error: ')[0];
    return steps;
  }),
};

// Values that a recording lacks.

export const unrecordedErrorText: Mask = {
  name: 'text of errors recorded as true',
  reason: 'the recording reports only that the call fails',
  hide({ expected, actual }) {
    eachPair(expected, actual, (step, replayed) => {
      if (step.error === true && typeof replayed.error === 'string') replayed.error = true;
    });
    return { expected, actual };
  },
};

export const unrecordedGcErrorText: Mask = {
  name: 'text of image GC errors recorded as a class',
  reason: 'the recording has the texts of two classes only',
  hide({ expected, actual }) {
    eachPair(expected, actual, (step, replayed) => {
      if (step.errorMessage === undefined) delete replayed.errorMessage;
    });
    return { expected, actual };
  },
};

export const unsupportedHandlerText: Mask = {
  name: 'text of unsupported hook handlers',
  reason: 'the recording lacks the message of handlers that do not exist',
  hide({ expected, actual }) {
    if (expected.message === undefined) delete actual.message;
    return { expected, actual };
  },
};

export const hashedText: Mask = {
  name: 'text behind a container hash',
  reason: 'the recording has it as an explanation; the hash is compared',
  hide: both(({ annotation }) => ({ annotation })),
};

export const recordWriteTime: Mask = {
  name: 'time of pull records',
  reason: 'the recording has no time',
  hide: both((output) => {
    delete output.writtenRecord?.lastUpdatedTime;
    return output;
  }),
};

export const pullAnswerOfErrors: Mask = {
  name: 'answer beside the error of a pull check',
  reason: 'a Go function returns a value beside its error, and its caller ignores it; ours rejects',
  hide: both((output) => {
    if (output.error) delete output.mustPull;
    return output;
  }),
};

export const maskedImageTexts: Mask = {
  name: 'texts recorded as <...> and <parse error>',
  reason: "durations and a parser's words",
  hide({ expected, actual }) {
    for (const [index, step] of expected.entries()) {
      const replayed = actual[index];
      if (step.message === '<parse error>' && replayed.message) replayed.message = step.message;
      replayed.events = replayed.events.map((event: string, at: number) => {
        const recorded: string = step.events[at] ?? '';
        const prefix = recorded.endsWith('<...>') ? recorded.slice(0, -'<...>'.length) : undefined;
        return prefix !== undefined && event.startsWith(prefix) ? recorded : event;
      });
    }
    return { expected, actual };
  },
};

export const inspectedImage: Mask = {
  name: 'quoted reference of an image that cannot be inspected',
  reason: 'the fake runtime of the recording returns a reference beside its error, which no runtime does',
  hide: both((output) => mapTexts(output, (text) => text.replace(/(Failed to inspect image )"[^"]*"/, '$1'))),
};

export const eventFractions: Mask = {
  name: 'fractions of a second in event times',
  reason: 'the API has whole seconds, which the agent writes; the recording has the times before they are written',
  hide({ expected, actual }) {
    for (const result of expected.results) {
      for (const key of ['first', 'last']) if (result[key] !== undefined) result[key] = `${Math.floor(Number(result[key]))}`;
    }
    return { expected, actual };
  },
};

export const configSeen: Mask = {
  name: 'kubernetes.io/config.seen',
  reason: 'the recording replaces this time',
  hide: both((output) => {
    for (const { updates } of output.steps) {
      for (const pod of (updates ?? []).flatMap(({ pods }: Recorded) => pods)) {
        const { annotations } = pod.metadata;
        if (annotations?.['kubernetes.io/config.seen']) annotations['kubernetes.io/config.seen'] = '<seen>';
      }
    }
    return output;
  }),
};

const roleLabel = /^node-role\.kubernetes\.io\/|^kubernetes\.io\/role$/;

export const rolesWithoutLabels: Mask = {
  name: 'roles of nodes by labels without a value',
  reason:
    'the recording removes empty fields, with them the labels node-role.kubernetes.io/NAME; the roles of the other labels are compared',
  hide({ expected, actual, input }) {
    const roles = expected.columns.indexOf('Roles');
    const labels = Object.entries<string>(input.object.metadata.labels ?? {});
    const kept = labels.flatMap(([label, value]) => (roleLabel.test(label) ? [value] : []));
    const recorded: string[] = expected.cells[roles].split(',');
    if (kept.every((role) => recorded.includes(role))) expected.cells[roles] = kept.join(',') || '<none>';
    return { expected, actual };
  },
};

export const generatedUid: Mask = {
  name: 'generated uids of static pods',
  reason: 'the recording replaces them',
  hide: both((output) => {
    const { uid, annotations } = output.pod?.metadata ?? {};
    if (/^[0-9a-f]{32}$/.test(uid ?? '')) {
      output.pod.metadata.uid = '<generated>';
      annotations['kubernetes.io/config.hash'] = '<generated>';
    }
    return output;
  }),
};

// Texts of Go and its libraries.

const nextProblem = '(?:unsupported|container|fieldPath|invalid key|configmap|references|secret|failed|ctb|signer|credential|Cluster|node)';
const keyProblem = new RegExp(`(invalid key subscript in .*?: ).*?(?=, ${nextProblem} ?|$)`, 'gs');

export const keyProblems: Mask = {
  name: 'text behind "invalid key subscript in X: "',
  reason: "the rest is a validator's wording",
  hide: both((output) => (output.error ? { ...output, error: output.error.replace(keyProblem, '$1') } : output)),
};

export const goStructure: Mask = {
  name: 'Go structure in the text of a hook',
  reason: 'the kubelet prints the internals of an empty structure',
  hide: both((output) => mapTexts(output, (text) => text.replace(/(failed to find networking container: ).*/, '$1'))),
};

export const logChoiceText: Mask = {
  name: 'text of a container without logs',
  reason: "the recording's server fails with an invented text before it reads a log",
  hide({ expected, actual, input }) {
    if (input.reader === 'error' && expected.status === 400 && expected.body === 'boom') actual.body = expected.body;
    return { expected, actual };
  },
};

export const logErrorText: Mask = {
  name: 'text of log errors behind the first colon',
  reason: 'the recording is cut there',
  hide: both((output) => {
    for (const part of [output, output.cri, output.detected]) {
      if (typeof part?.error === 'string') part.error = part.error.split(':')[0];
    }
    return output;
  }),
};

export const manifestErrorText: Mask = {
  name: 'text of manifest errors',
  reason: "the words of parsers and of the API's validation",
  hide({ expected, actual }) {
    const isFree = expected.parsed === false || /^invalid pod: (\[|&)/.test(expected.error ?? '');
    if (isFree && typeof actual.error === 'string') actual.error = expected.error;
    return { expected, actual };
  },
};

export const wrappedTokenError: Mask = {
  name: 'text around "expired and refresh failed"',
  reason: 'the recording has these words as a class',
  hide: both((output) => {
    for (const step of output.steps) if (step.error?.includes('expired and refresh failed')) step.error = 'expired and refresh failed';
    return output;
  }),
};

// Orders and outcomes that the kubelet leaves to chance.

export const thresholdOrder: Mask = {
  name: 'order of parsed thresholds',
  reason: 'the kubelet iterates over Go maps',
  hide: both((output) => {
    output.thresholds = output.thresholds?.map((each: object) => Object.fromEntries(Object.entries(each).sort())).sort(byText);
    return output;
  }),
};

export const firstWrongThreshold: Mask = {
  name: 'which wrong threshold is reported',
  reason: 'the kubelet iterates over Go maps: any of the listed texts may come first',
  hide: ({ expected, actual }) => (expected.errorAnyOf?.includes(actual.error) ? { actual: expected } : {}),
};

export const firstTreatedThreshold: Mask = {
  name: 'which threshold is treated first',
  reason: 'the order of thresholds is free: one of the recorded outcomes must be met',
  hide({ expected, actual }) {
    const outcomes = expected.allowed.map((steps: Recorded) => ({ steps }));
    const met = outcomes.find((outcome: Recorded) => differences(outcome, actual, {}, {}).length === 0);
    return { expected: met ?? outcomes[0] };
  },
};

export const removedPodOrder: Mask = {
  name: 'order of removed pods',
  reason: 'the kubelet iterates over Go maps; recorded sorted by uid',
  hide: both((output) => {
    for (const { updates } of output.steps) {
      for (const { op, pods } of updates ?? []) {
        if (op === 'REMOVE') pods.sort((a: Recorded, b: Recorded) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
      }
    }
    return output;
  }),
};

export const sharedMirrors: Mask = {
  name: 'which of several mirror pods of one pod is returned',
  reason: 'the kubelet iterates over Go maps',
  hide: both((output) => {
    for (const step of output.steps) {
      const mirrorsOf = (uid: string) => Object.keys(step.mirrorToPod ?? {}).filter((mirror) => step.mirrorToPod[mirror] === uid);
      for (const [uid, mirror] of Object.entries<string>(step.podToMirror ?? {})) {
        const all = mirrorsOf(uid);
        if (all.includes(mirror)) step.podToMirror[uid] = `one of ${all.sort().join(', ')}`;
      }
    }
    return output;
  }),
};

// Different forms of one value.

export const writeSizes: Mask = {
  name: 'pieces in which a log is written',
  reason: 'a reader of the stream cannot see them',
  hide: both((output) => {
    const joined: [string, string][] = [];
    for (const [stream, text] of (output.writes ?? []).filter(([, text]: [string, string]) => text !== '')) {
      const last = joined.at(-1);
      if (last && last[0] === stream) last[1] += text;
      else joined.push([stream, text]);
    }
    return { ...output, writes: joined };
  }),
};

export const pendingTriggers: Mask = {
  name: 'triggers of workers that have one',
  reason: 'a worker holds one trigger: the kubelet drops a second one and ours replaces the first, with the same effect',
  hide: both((output, { triggersPending }) => {
    const pending: string[] = triggersPending ?? [];
    return { ...output, triggered: (output.triggered ?? []).filter((name: string) => !pending.includes(name)) };
  }),
};
