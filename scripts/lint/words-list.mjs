// The words that this project does not use, and what it writes instead: the data of the lint of words.mjs and of the table in
// docs/language.md, which that lint writes. An entry without a pattern is for readers: its words have other uses that are fine.
//
// `prose` is searched in Markdown, comments and strings without regard to case; a space stands for any white space. `names` is searched in the
// words of a name: `mostBytes` is "most bytes". Names are declarations, code within backticks and file names.

/** @type {{ instead: string, write: string, prose?: RegExp, names?: RegExp }[]} */
export const words = [
  {
    instead: 'tell, told, is told of',
    write: 'report, log, emit (an event), receive, notify',
    prose: /\b(told|tells?|telling)\b(?! apart)/,
    names: /\b(told|tells?)\b/,
  },
  { instead: 'say, says, said', write: 'report, state, contain, specify', prose: /\bsa(ys?|id)\b/, names: /\bsa(ys?|id)\b/ },
  { instead: 'hear, hears', write: 'receive, get', prose: /\bhear(s|d|ing)?\b/, names: /\bhear[sd]?\b/ },
  {
    instead: 'look, a look, looks at',
    write: 'sync, relist, inspect, poll, check; "runs every 10 s"',
    prose: /\blook(s|ed|ing)?\b(?! (up|for|like)\b)/,
    names: /\blook(s|ed|ing)?\b(?! (up|for|like)\b)/,
  },
  { instead: 'moment', write: 'revision, timestamp, `observedAt` (name the clock)', prose: /\bmoments?\b/, names: /\bmoments?\b/ },
  { instead: 'news', write: 'newer status, change', prose: /\bnews\b/, names: /\bnews\b/ },
  {
    instead: 'stir, wake',
    write: 'schedule, trigger',
    prose: /\b(stir(s|red)?|wakes?|woken?)\b/,
    names: /\b(stir(s|red)?|wakes?|woken?)\b/,
  },
  {
    instead: "a pod's life, lives of pods, lives (as a verb)",
    write: 'pod lifecycle, lifecycle traces; runs, exists, is in',
    prose: /\b((?<!\bend of )life|lives)\b/,
    names: /\b(life|lives)\b(?! cycle)/,
  },
  {
    instead: 'goes, is gone, shall go',
    write: 'terminates, is removed, is being deleted, continues, is sent',
    prose: /\b(goes|(?<!410 )gone)\b/,
    names: /\b(goes|gone)\b/,
  },
  { instead: 'shall', write: 'must, or the present tense; for what is requested: desired', prose: /\bshall\b/ },
  { instead: 'wants', write: 'requests, needs, lists', prose: /\bwants?\b/ },
  { instead: 'leaving pods', write: 'removed pods (cleanup pending)', prose: /\bleaving pods?\b/, names: /\bleaving\b/ },
  {
    instead: 'in order (of a state)',
    write: 'healthy, Ready; ends normally',
    prose: /\b(is|are|was|were|be|pods?|nodes?|ends?|ended|it) in order\b(?! (to|of|by|and)\b)/,
  },
  { instead: 'troubled, in trouble', write: 'unhealthy, failing', prose: /\btroubled?\b/, names: /\btroubled?\b/ },
  { instead: 'begin anew, made anew', write: 'restart, re-create, again', prose: /\banew\b/, names: /\banew\b/ },
  { instead: 'the one before, of before', write: 'previous, from the previous run', prose: /\b(the ones? before|of before)\b/ },
  {
    instead: 'nobody, whoever, somebody',
    write: 'name the caller, the client or the component',
    prose: /\b(nobody|somebody|anybody|whoever)\b/,
    names: /\b(nobody|somebody|anybody|whoever)\b/,
  },
  { instead: 'anything', write: 'name the thing', prose: /\banything\b/, names: /\banything\b/ },
  {
    instead: 'who (without a noun: "who asks gets", "for who asks")',
    write: 'a client that, callers that',
    prose: /\b(for|to|from|by|of) who\b|[.;] who (?!am\b)\w+s\b(?![^.]*\?)/,
  },
  {
    instead: 'stranger',
    write: 'unauthenticated client, unknown pod, third-party implementation',
    prose: /\bstrangers?\b/,
    names: /\bstrangers?\b/,
  },
  { instead: 'mostX, leastX (names)', write: '`maxX`, `minX`', names: /^(most|least) \w/ },
  { instead: 'patience', write: 'timeout, threshold', prose: /\bpatien(ce|t|tly)\b/, names: /\bpatien(ce|t)\b/ },
  { instead: 'soon (names)', write: 'the condition: `eventually`, `untilReady`', prose: /(?<!\bas )\bsoon\b/, names: /\bsoon\b/ },
  { instead: 'doX (names)', write: 'the verb: `sync`, `unmount`', names: /^do (?!not\b)\w/ },
  { instead: 'begun, felt (faults)', write: 'injected, hit; started', prose: /\b(begun|felt)\b/, names: /\b(begun|felt)\b/ },
  { instead: 'not yet (conformance)', write: 'no adapter' },
  { instead: 'cannot be (an option)', write: 'is invalid' },
  { instead: 'stands alone', write: 'standalone', prose: /\b(stands?|standing) alone\b/ },
  {
    instead: 'takes up, takes over',
    write: 'adopts, recovers, starts to run',
    prose: /\b(takes?|took|taken|taking) (up(?! to\b)|over)\b/,
    names: /\b(take|takes|taken) (up|over)\b/,
  },
  { instead: 'figures', write: 'metrics, stats, usage', prose: /\bfigures?\b(?! out\b)/, names: /\bfigures?\b/ },
  {
    instead: 'world',
    write: 'volumes: desired state, actual state; simulation: simulated node',
    prose: /(?<!\bhello,? |\bstate of |\bstate of the )\bworlds?\b(?!-)/,
    names: /(?<!\b(hello|state of) )\bworlds?\b/,
  },
  { instead: 'made is not started', write: 'created, not started', prose: /\bonly made\b|\bmade is not started\b/ },
  { instead: 'a thing "of its own"', write: 'separate, dedicated', prose: /\bof (its|their|our|his) own\b/ },
  { instead: 'what nothing honours', write: 'unsupported fields', prose: /\bhono(u)?r(s|ed)?\b/ },
  { instead: 'its time had come', write: 'the work-queue item is due', prose: /\btime (had|has|is) come\b/ },
  { instead: 'Due / its time had come', write: 'Due: periodic resync' },
  { instead: 'told twice to end', write: 'interrupted twice' },
  { instead: 'is tried again', write: 'the component: "the worker retries after 10 s"', prose: /\btried (again|once more)\b/ },
  { instead: 'lets go of', write: 'releases', prose: /\blet(s|ting)? go\b/ },
  {
    instead: 'nothing that is not',
    write: 'the positive sentence: "fails if the folder is missing"',
    prose: /\b(nothing|none|nobody) that (is|are|was|does|do|has) not\b/,
  },
];

/**
 * Texts that keep a listed word: a finding within one of them is none. Each is a text of another project that must stay verbatim; the reason
 * names the project. `path` limits it to the files below.
 * @type {{ text: string, path?: string, reason: string }[]}
 */
/** Former names of exports, which the migration page lists. */
const formerNames = [
  'PodCache.moment()',
  'AgentParts.leaving',
  '`NodeFigures`, `thresholdsWithNewFigures`',
  '`lookedAt`, `nextLookAt`',
  'EventedPlegOptions.lookCapacity',
  '`isNews`, `LifeStage`',
  'KnownPodsDecision.wake',
  'createLife',
  '`createDesiredWorld`, `createActualWorld`, `Worlds`',
];

const specNames = ['capture the life of a', 'if delete options say so', 'if the deleteOptions says so', 'should honor timeout'];

export const allowed = [
  ...specNames.map((text) => ({ text, path: 'docs/reliability-runs.md', reason: "names in Kubernetes' conformance suite" })),
  { text: 'must not specify anything other than name and generateName', reason: 'message of an API server' },
  { text: 'CustomResource deletion will begin soon', reason: 'message of an API server' },
  { text: '`Gone`', path: 'packages/api/src/contracts/kube-api.ts', reason: 'a StatusReason of Kubernetes' },
  { text: 'nobody:x:65534:65534:nobody', path: 'tests/support/containerd/busybox-image.ts', reason: 'a line of /etc/passwd' },
  { text: 'nobody:x:65534:65534:nobody', path: 'tests/e2e/oci-spec-beside-containerd.e2e.ts', reason: 'a line of /etc/passwd' },
  { text: "runAsUsername: 'nobody'", path: 'tests/e2e/oci-spec-beside-containerd.e2e.ts', reason: 'a user of the image' },
  { text: "Buffer.from('world')", path: 'examples/volumes/main.ts', reason: 'the greeting that the example prints' },
  { text: 'good morning world', path: 'examples/volumes/README.md', reason: 'the greeting that the example prints' },
  { text: "'Gone'", path: 'packages/kube-client/src/', reason: 'a reason of the Kubernetes API: `StatusReasonGone`' },
  { text: "nodeTaintsPolicy: 'Honor'", path: 'packages/test-controllers/src/scheduler/', reason: 'a value of the Kubernetes API' },
  { text: 'Wants', path: 'packages/cgroups/src/', reason: 'a property of systemd units' },
  ...formerNames.map((text) => ({ text, path: 'docs/migration.md', reason: 'former names of exports' })),
];
