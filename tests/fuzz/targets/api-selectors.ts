import fc from 'fast-check';
import { apiServer, askApi } from '../generate/api-request.js';
import { mutatedText } from '../generate/text.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const labels = ['a=b,c!=d', 'app in (web, api),!old,tier', 'x notin ()', 'n>1,m<20', 'example.com/a==b', ' a = b , c ', '!a', ''];
const fields = ['metadata.name=a', 'metadata.namespace!=b,status.phase=Running', 'spec.nodeName=', 'metadata.name=a\\,b\\=c\\\\', ''];
const pieces = fc.constantFrom(
  ...['=', '==', '!=', '!', '(', ')', ',', ' in ', ' notin ', '>', '<', '\\', '\\,', '__proto__', 'constructor', '"', '\0', 'é', ' ', '/'],
);
const other = fc.constantFrom(
  '',
  'limit=1',
  'limit=-1',
  'resourceVersion=0',
  'resourceVersion=x',
  'continue=eyJ2Ijoi',
  'resourceVersionMatch=Exact',
);

const server = apiServer();
const names = ['a', 'b', 'c'];
const containers = [{ name: 'main', image: 'x' }];
for (const [index, name] of names.entries()) {
  const metadata = { name, labels: { a: name, n: String(index), app: 'web' } };
  server.objects.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
}

export const apiSelectors = fuzzTarget({
  name: 'api-selectors',
  promise:
    'the test API server refuses selectors with a Status, or lists what each of them selects: a part of all objects, the same each time',
  runs: 1_500,
  inputs: fc.record({
    label: mutatedText(fc.constantFrom(...labels), pieces, 4),
    field: mutatedText(fc.constantFrom(...fields), pieces, 4),
    other,
  }),
  async check({ label, field, other: rest }) {
    const query = (parts: Record<string, string>) => `${new URLSearchParams(parts)}${rest && `&${rest}`}`;
    const list = async (parts: Record<string, string>) => {
      const answer = await askApi(server, { method: 'GET', url: `/api/v1/namespaces/default/pods?${query(parts)}` });
      if (answer.status !== 200) return { status: answer.status, selected: undefined };
      const items = answer.object.items as { metadata: { name: string } }[];
      return { status: answer.status, selected: items.map(({ metadata }) => metadata.name) };
    };
    const both = await list({ labelSelector: label, fieldSelector: field });
    promiseSame(await list({ labelSelector: label, fieldSelector: field }), both, 'the second list');
    promise(both.selected?.every((name) => names.includes(name)) !== false, 'an object that does not exist');
    if (both.selected === undefined || rest !== '') return;
    const [byLabel, byField] = [await list({ labelSelector: label }), await list({ fieldSelector: field })];
    const expected = byLabel.selected?.filter((name) => byField.selected?.includes(name));
    promiseSame(both.selected, expected, 'what both selectors select');
  },
});
