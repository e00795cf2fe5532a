import { applyDefaultImageTag, type ImageName, parseImageName } from '@nodeagent/api/helpers';
import { imageErrorCodes } from '@nodeagent/image-manager';
import { trimImageName } from '@nodeagent/image-manager/decisions';
import fc from 'fast-check';
import { mutatedText } from '../generate/text.js';
import { promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const domain = fc.constantFrom(
  '',
  '',
  'docker.io/',
  'index.docker.io/',
  'localhost/',
  'REG/',
  'a.b:5000/',
  '[::1]:80/',
  'a-b.c/',
  'x_y.z/',
);
const path = fc.array(fc.constantFrom('a', 'library', 'nginx', 'a.b', 'a__b', 'a--b', 'a_b', '0', 'a'.repeat(120)), {
  minLength: 1,
  maxLength: 4,
});
const tag = fc.constantFrom('', '', ':1', ':latest', ':A.b-c_d', `:${'t'.repeat(128)}`, `:${'t'.repeat(129)}`);
const digest = fc.constantFrom('', '', `@sha256:${'a'.repeat(64)}`, `@sha512:${'0'.repeat(128)}`, `@sha256:${'a'.repeat(63)}`, '@md5:00');
const reference = fc.oneof(
  fc.tuple(domain, path, tag, digest).map(([host, parts, version, sum]) => `${host}${parts.join('/')}${version}${sum}`),
  fc.constant('f'.repeat(64)),
);

export const imageReferences = fuzzTarget({
  name: 'image-references',
  promise: 'an accepted image reference, written in full, parses to the same; the default tag is added once and changes nothing',
  runs: 3_000,
  inputs: mutatedText(reference, undefined, 2),
  check(text) {
    const name = parsed(text);
    if (name === undefined) return;
    const { repository, tag, digest } = name;
    promise(/^[^/]+\/[^/].*$/.test(repository) && !/[\s@]/.test(repository), `the repository ${JSON.stringify(repository)}`);
    promise(tag !== '' || digest !== '', `${text} has neither tag nor digest`);
    promiseSame(parsed(`${repository}${tag && `:${tag}`}${digest && `@${digest}`}`), name, `the full name of ${text}`);
    const tagged = applyDefaultImageTag(text);
    promise(tagged.startsWith(text), `${text} becomes ${tagged}`);
    promiseSame(parsed(tagged), name, `${text} with its default tag`);
    promiseSame(applyDefaultImageTag(tagged), tagged, 'the default tag of a text with a tag');
    promiseSame(
      parsed(trimImageName(text))?.repository ?? '64 digits',
      /^[a-f0-9]{64}$/.test(trimImageName(text)) ? '64 digits' : repository,
      `the name of ${text}`,
    );
  },
});

function parsed(text: string): ImageName | undefined {
  try {
    return parseImageName(text);
  } catch (error) {
    const { details } = promiseDocumented(error, [imageErrorCodes.invalidImageName], 'parseImageName');
    promiseSame(details.image, text, 'the image that the error names');
    return undefined;
  }
}
