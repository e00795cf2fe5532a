// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import { expect, it } from 'vitest';
import { logCallProblems } from './log-calls.mjs';

const problems = (call: string) => logCallProblems('x.ts', call).map((problem: string) => problem.replace(/^x\.ts:\d+: /, ''));

it.each([
  "logger.info('container runtime ready');",
  'view.logger.warn(warning);',
  "logger.warn({ err: error, attempt }, 'cannot renew the lease');",
  "this.#logger[level]({ pod: pod && podKey(pod), podUID: uid, err }, 'error syncing pod');",
  'logger.debug({ containerName: name, ...(reason && { reason }) }, `probe ${type}`);',
  'logger.child({ containerID: id });',
  'console.error(`${error}`);',
])('accepts %s', (call) => {
  expect(problems(call)).toEqual([]);
});

it.each([
  ["logger.info(fields, 'x');", 'the fields of a log call are an object literal'],
  ["logger.info({}, 'x');", 'a log call without fields has the message alone'],
  ['logger.info({ image });', 'a log call with fields has a message too'],
  ["logger.info({ ...fields }, 'x');", 'fields of a log call are named one by one: a spread hides their keys'],
  ["logger.info({ error }, 'x');", 'the key "error" of a log call is "err"'],
  ["logger.info({ podUid: uid }, 'x');", 'the key "podUid" of a log call is "podUID"'],
  ["logger.info({ ...(id && { containerId: id }) }, 'x');", 'the key "containerId" of a log call is "containerID"'],
  ["logger.info({ err: errorMessage(error) }, 'x');", '"err" is the error itself, not its text'],
  ["logger.info({ err: error.message }, 'x');", '"err" is the error itself, not its text'],
  ["logger.info({ pod: formatPod(pod) }, 'x');", '"pod" is podKey() of @nodeagent/api/helpers: namespace/name'],
  [
    'logger.info({ err }, `failed: ${errorMessage(err)}`);',
    'the text of an error is not in the message of a log call: pass the error as "err"',
  ],
  ['logger[level](`failed: ${error}`);', 'the text of an error is not in the message of a log call: pass the error as "err"'],
  ['ports.logger.child({ containerId });', 'the key "containerId" of a log call is "containerID"'],
])('refuses %s', (call, problem) => {
  expect(problems(call)).toEqual([problem]);
});
