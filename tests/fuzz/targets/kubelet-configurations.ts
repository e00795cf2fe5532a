import {
  configurationToJson,
  decodeConfiguration,
  type KubeletConfiguration,
  setDefaults,
  validateKubeletConfiguration,
} from '@nodeagent/kubelet-config';
import { type ConfigFiles, loadKubeletConfiguration } from '@nodeagent/kubelet-config/node';
import fc, { type Arbitrary } from 'fast-check';
import { configurationExamples } from '../examples/configurations.js';
import { type Json, jsonText, mutatedJson, oddJson } from '../generate/json.js';
import { mutatedText, yamlPieces } from '../generate/text.js';
import { promise, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const values: Arbitrary<Json> = fc.oneof(
  oddJson,
  fc.constantFrom<Json>(
    '1m30s',
    '-1s',
    '1.5h',
    '.5s',
    '9223372036s',
    '2562047h47m16.854775807s',
    '1µs',
    '0',
    '0-3,7',
    '3-1',
    '0-100000',
    '0-4294967295',
    '0-9007199254740991',
    '10Mi',
    '50%',
    '-1',
    'unix:///a',
    'http://[::1',
    '%zz',
    'text',
    'json',
  ),
);
/** JSON has no infinite numbers and no NaN; YAML has. */
const yamlNumber = (value: Json): string =>
  jsonText(value).replace(/-?5e-324|1e\+308/g, (number) => (number.startsWith('1') ? '.inf' : '.nan'));
const text = fc.oneof(
  mutatedJson(configurationExamples, values, 2).map((value) => `# a comment\n${yamlNumber(value)}`),
  mutatedJson(configurationExamples, values).map((value) => jsonText(value)),
  mutatedJson(configurationExamples, values, 2).map((value) => `# a comment\n${jsonText(value, 1)}`),
  mutatedText(fc.constantFrom(...configurationExamples.map((value) => jsonText(value, 1))), yamlPieces),
);

/** A file and a folder of drop-in files. */
function filesOf(file: string, dropIns: readonly string[]): ConfigFiles {
  const texts = new Map([['/config.yaml', file], ...dropIns.map((each, index): [string, string] => [`/conf.d/${index}.conf`, each])]);
  return {
    readText: async (path) => texts.get(path) ?? '',
    list: async () => dropIns.map((_, index) => ({ name: `${index}.conf`, isFolder: false })),
  };
}

const codes = ['InvalidKubeletConfiguration'];

export const kubeletConfigurations = fuzzTarget({
  name: 'kubelet-configurations',
  promise: 'a file and its drop-ins give a complete configuration, or an error that names the file; defaults and decoding are stable',
  runs: 900,
  inputs: fc.record({ file: text, dropIns: fc.array(text, { maxLength: 2 }) }),
  async check({ file, dropIns }) {
    const options = { config: '/config.yaml', files: filesOf(file, dropIns), ...(dropIns.length > 0 && { configDir: '/conf.d' }) };
    const loaded = await resultUnless(codes, 'loadKubeletConfiguration', async () => {
      try {
        return await loadKubeletConfiguration(options);
      } catch (error) {
        promise(error instanceof Error && /\/config\.yaml|\/conf\.d/.test(error.message), `the error names no file: ${error}`);
        throw error;
      }
    });
    if (loaded === undefined) return;
    const { configuration, given, warnings } = loaded;
    promise(
      given.every((field) => field in configuration),
      `set but missing: ${given.filter((field) => !(field in configuration))}`,
    );
    promise(
      warnings.every((warning) => warning !== ''),
      'an empty warning',
    );
    checkConfiguration(configuration);
    const again = await loadKubeletConfiguration({ ...options, files: filesOf(file, dropIns) });
    promiseSame(again, loaded, 'the configuration loaded again');
  },
});

function checkConfiguration(configuration: KubeletConfiguration): void {
  promisePlain(configuration, 'the configuration');
  promiseSame(setDefaults(configuration), configuration, 'the defaults of a configuration with defaults');
  const decoded = decodeConfiguration(JSON.parse(JSON.stringify(configuration)));
  promiseSame(decoded, { configuration, unknownFields: [] }, 'the configuration decoded again');
  promiseSame(
    configurationToJson(decodeConfiguration(configurationToJson(configuration)).configuration),
    configurationToJson(configuration),
    'the written configuration',
  );
  const problems = validateKubeletConfiguration(configuration);
  promise(
    problems.every((problem) => typeof problem === 'string' && problem !== ''),
    'a problem without a text',
  );
  promiseSame(validateKubeletConfiguration(configuration), problems, 'the second validation');
}
