import fc from 'fast-check';
import { ruleExamples, schemaExamples, specExamples } from '../examples/schemas.js';
import { customServer } from '../generate/custom-server.js';
import type { Json } from '../generate/json.js';
import { mutatedText } from '../generate/text.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const pieces = fc.constantFrom(
  ...[
    'self',
    'oldSelf',
    '.size()',
    '.all(x, ',
    '.map(x, ',
    '.exists(i, v, ',
    ')',
    '(',
    '[',
    ']',
    '{',
    '}',
    '?',
    ':',
    '.?',
    '[?',
    ' in ',
    ' && ',
    ' || ',
  ],
  ...[
    '1',
    '-9223372036854775808',
    '18446744073709551615u',
    '1e400',
    '"\\u0000"',
    'b"\\xff"',
    "r'\\'",
    '"""',
    '!',
    '-',
    ' / 0',
    ' % 0',
    'null',
  ],
  ...['.matches("(a+)+$")', '.split("")', '.replace("", "xx")', 'duration("1h")', 'optional.none()', 'type(1)', '`a-b`', '//', '\n', '🙂'],
);

/** The second schema, whose `spec` has the rule. */
function schemaWith(rule: string): Json {
  const specs = schemaExamples.map(
    (each) => (each as { properties: { spec: { properties: Record<string, Json> } } }).properties.spec.properties,
  );
  const properties = Object.assign({}, ...specs) as Record<string, Json>;
  return { type: 'object', properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': [{ rule, message: 'no' }] } } };
}

export const celExpressions = fuzzTarget({
  name: 'cel-expressions',
  promise: 'an expression is refused with a place in it, or gives the same verdict each time, within its cost limit',
  runs: 100,
  inputs: fc.record({ rule: mutatedText(fc.constantFrom(...ruleExamples), pieces, 4) }),
  async check({ rule }) {
    const server = customServer();
    const defined = await server.define(schemaWith(rule));
    if (defined.status !== 201) {
      promise(defined.body.message?.includes('x-kubernetes-validations[0]') === true, `the problem ${defined.body.message}`);
      return;
    }
    for (const spec of specExamples) {
      const [first, second] = [await server.tryCreate(spec), await server.tryCreate(spec)];
      promiseSame([second.status, second.body.message], [first.status, first.body.message], 'the verdict of the second evaluation');
    }
  },
});
