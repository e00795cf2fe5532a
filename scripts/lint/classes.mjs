// Factories return closures. A class is for what has identity as a value or an error, for what exists by the thousand or lies on a hot
// path, and for what Node asks to extend (docs/architecture.md, "Classes and closures"). Each one is in this table, with its reason.
// It exists because linters forbid all classes or none.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { lineOf, reportProblems, sourceFiles, visitNodes } from './source-files.mjs';

/** By file and name; a folder with a slash at its end stands for all classes below it. */
export const allowedClasses = {
  'packages/api/src/contracts/errors.ts NodeAgentError': 'an error',
  'packages/api/src/files/walk-tree.ts TreeWalk': 'a state machine of many steps on shared fields, which nothing exports',
  'packages/api/src/helpers/cpuset.ts CpuSet': 'a value',
  'packages/api/src/helpers/quantity.ts Quantity': 'a value',
  'packages/compliance/src/pod-workers/test-pod-workers.ts Worker': 'a test double: one for each pod',
  'packages/compliance/src/probe-manager/test-probe-manager.ts Worker': 'a test double: one for each probe',
  'packages/container-logs/src/read/log-decoder.ts LogDecoder': 'hot path: every line of every log that is read',
  'packages/grpc/src/client/call.ts Call': 'hot path: one for each call of the runtime',
  'packages/grpc/src/client/flow-control.ts ReceiveWindow': 'hot path: one for each call of the runtime',
  'packages/grpc/src/client/frames.ts ConnectionError': 'an error',
  'packages/grpc/src/client/message-reader.ts MessageReader': 'hot path: one for each call of the runtime',
  'packages/kube-client/src/informer/reflector.ts Reflector': 'one for each watched object: thousands on a full node',
  'packages/kubelet-config/src/load.ts UnknownType': 'an error',
  'packages/node-page/src/test-agent.ts TestPageAgent': 'a test double whose fields the tests set',
  'packages/memory-runtime/': 'simulated containers and calls exist by the thousand',
  'packages/object-store/src/watched-object.ts WatchedObject': 'one for each secret and config map of pods: thousands on a full node',
  'packages/pleg/src/evented-pleg.ts Generator': 'hot path: each container event; a state machine of many steps on shared fields',
  'packages/pleg/src/generic-pleg.ts Generator': 'hot path: the relist of each second; a state machine of many steps on shared fields',
  'packages/pleg/src/reconciler.ts PodReconciler': 'hot path: compares each pod of each relist',
  'packages/pod-workers/src/pod-workers.ts Workers': 'hot path: each update of each pod; a state machine of many steps on shared fields',
  'packages/runtime-manager/src/call-signals.ts CallEnds': 'hot path: one for each call of the runtime',
  'packages/runtime-manager/src/call-signals.ts JoinedEnds': 'hot path: one for each call of the runtime with a signal',
  'packages/runtime-manager/src/sync-pod.ts SyncEnd': 'an error',
  'packages/stats/src/metrics/exposition.ts Exposition': 'hot path: tens of thousands of samples a page',
  'packages/stats/src/metrics/exposition.ts Page': 'hot path: each byte of a page of ten megabytes',
  'packages/streaming/src/spdy/session.ts Stream': 'extends a stream of Node',
  'packages/test-api-server/': 'API objects, watches and requests exist by the thousand',
  'packages/testing/src/clock/timer-heap.ts TimerHeap': 'hot path: every timer of a simulated cluster',
  'packages/yaml/src/yaml-limits.ts YamlLimitError': 'an error',
  'packages/yaml/src/yaml-values.ts YamlValueError': 'an error',
};

/** The names of the classes in a source text, with their lines. */
export function classesIn(path, text) {
  const found = [];
  if (!/\bclass\b/.test(text)) return found;
  visitNodes(path, text, (node) => {
    if (ts.isClassDeclaration(node) || ts.isClassExpression(node))
      found.push({ name: node.name?.text ?? '(anonymous)', line: lineOf(node) });
  });
  return found;
}

/** The problems of these files: classes that the table lacks, and lines of the table without a class. */
export function classProblems(files, allowed = allowedClasses) {
  const used = new Set();
  const problems = files.flatMap(({ path, text }) =>
    classesIn(path, text).flatMap(({ name, line }) => {
      const key = Object.keys(allowed).find((each) => each === `${path} ${name}` || (each.endsWith('/') && path.startsWith(each)));
      if (key !== undefined) used.add(key);
      return key === undefined
        ? [`${path}:${line}: class ${name}: write a factory that returns a closure, or give a reason in the table`]
        : [];
    }),
  );
  const unused = Object.keys(allowed).filter((key) => !used.has(key));
  return [...problems, ...unused.map((key) => `${key}: there is no such class`)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportProblems('classes', classProblems(sourceFiles()));
