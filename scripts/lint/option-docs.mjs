// If an option of an exported factory has a docstring, it states the option's default, or what its absence means, exactly if the option
// is optional. Not needed for callbacks, for ports that have one default in all packages, and for groups, whose options state theirs.
// It exists because the rule is the project's own, and needs the types of options.
import { fileURLToPath } from 'node:url';
import { optionFactories } from './option-names.mjs';
import { reportProblems } from './source-files.mjs';

const ports = new Set(['clock', 'logger', 'metrics', 'random', 'recorder', 'signal']);
const isCallback = /^on[A-Z]/;
const statesDefault = /\bDefault\b/;
const statesAbsence = /\b(defaults?|absent|else|undefined|without|unless|required|instead|optional|replaces)\b/i;

/** The problems of these factories' options, as `file:line: text`, each option once. */
export function optionDocProblems(factories) {
  const problems = factories.flatMap(({ name, options }) =>
    options.flatMap(({ path, isGroup, isOptional, text, place }) => {
      const [option] = path.replace('[]', '').split('.').slice(-1);
      if (!isOptional) {
        return statesDefault.test(text) ? [`${place}: "${option}" of ${name} is required, but its docstring states a default`] : [];
      }
      if (text === '' || isGroup || ports.has(option) || isCallback.test(option) || path.startsWith('faults.') || statesAbsence.test(text))
        return [];
      return [`${place}: "${option}" of ${name} is optional: state its default`];
    }),
  );
  return [...new Map(problems.map((problem) => [problem.replace(/: .*/, ''), problem])).values()];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportProblems('option-docs', optionDocProblems(optionFactories()));
