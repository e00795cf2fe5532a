import { createKeyring, parseDockerConfigJson, parseDockercfg } from '@nodeagent/image-manager/decisions';
import fc from 'fast-check';
import { jsonText, mutatedJson } from '../generate/json.js';
import { mutatedText } from '../generate/text.js';
import { promise, promiseDocumented } from '../promises.js';
import { fuzzTarget } from '../target.js';

const auth = Buffer.from('user:password').toString('base64');
const entries = {
  'registry.example.com': { auth },
  'https://index.docker.io/v1/': { username: 'user', password: 'password', email: 'a@b' },
  '*.example.com/team': { auth },
  '[::1]:5000': { auth: `${auth}=` },
};
/** Labels of the form `*a*a*b` take exponential time in a careless matcher. */
const glob = fc.array(fc.constantFrom('*', '*a', 'a'), { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''));
const address = fc.oneof(
  fc.constantFrom(...Object.keys(entries)),
  glob.map((label) => `${label}.b`),
  fc.array(glob, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
  fc
    .array(fc.constantFrom('*', 'a', '.', ':', '/', 'a.b', ':5000', '%41', '[', ']', '\\', '(', '?'), { maxLength: 20 })
    .map((parts) => parts.join('')),
);
const image = fc.oneof(
  fc.constantFrom('nginx', 'registry.example.com/a/b', 'x.example.com/team/c', 'docker.io/library/nginx', '[::1]:5000/a'),
  fc.integer({ min: 1, max: 200 }).map((length) => `${'a'.repeat(length)}.b/c`),
);
const text = fc.oneof(
  mutatedJson([{ auths: entries }, entries]).map((value) => jsonText(value)),
  mutatedText(fc.constant(JSON.stringify({ auths: entries }))),
);

export const pullCredentials = fuzzTarget({
  name: 'pull-credentials',
  promise: 'a docker configuration is read or refused without quoting it; matching an image takes little time for any address',
  runs: 1_500,
  inputs: fc.record({ text, addresses: fc.array(address, { maxLength: 4 }), image: mutatedText(image, undefined, 1) }),
  check({ text, addresses, image }) {
    const keyring = createKeyring();
    for (const parse of [parseDockerConfigJson, parseDockercfg]) {
      try {
        for (const [key, login] of parse(text)) keyring.add(key, login);
      } catch (error) {
        const { message } = promiseDocumented(error, ['InvalidPullCredentials'], parse.name);
        promise(!message.includes(auth) && !message.includes('user:password'), `the message has credentials: ${message}`);
      }
    }
    for (const key of addresses) keyring.add(key, { username: key });
    for (const { auth } of keyring.find(image) ?? []) promise(auth !== undefined, 'credentials without a login');
  },
});
