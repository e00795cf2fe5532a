import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const yaml = { 'content-type': 'application/yaml' };
const applied = { 'content-type': 'application/apply-patch+yaml' };
const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  mode: "1"\n';

describe('a YAML body', () => {
  it('creates, replaces and applies objects', async () => {
    const { call } = setUp();
    expect((await call('POST', configMaps, text, yaml)).body).toMatchObject({ kind: 'ConfigMap', data: { mode: '1' } });
    expect((await call('PUT', `${configMaps}/a`, text.replace('"1"', '"2"'), yaml)).body.data).toEqual({ mode: '2' });
    const apply = await call('PATCH', `${configMaps}/b?fieldManager=t`, text.replace('{name: a}', '{name: b}'), applied);
    expect([apply.status, apply.body.data]).toEqual([201, { mode: '1' }]);
  });

  it('may be a flow mapping that is not JSON', async () => {
    const { call } = setUp();
    const flow = '{\n\t"apiVersion": "v1",\n\tkind: ConfigMap,\n\t"metadata": {"name": "f"},\n\t"data": {"a": "1",},\n}';
    const { status, body } = await call('PATCH', `${configMaps}/f?fieldManager=t`, flow, applied);
    expect([status, body.data]).toEqual([201, { a: '1' }]);
    const cut = await call('PATCH', `${configMaps}/f?fieldManager=t`, '{"apiVersion": "v1",', applied);
    expect([cut.status, cut.body.message]).toEqual([400, expect.stringContaining('error converting YAML to JSON')]);
  });

  it('is validated strictly, with the lines of repeated keys', async () => {
    const { call } = setUp();
    const repeated = `${text}  mode: "2"\nextra: 1\n`;
    const strict = await call('POST', `${configMaps}?fieldValidation=Strict`, repeated, yaml);
    const problem = 'strict decoding error: yaml: unmarshal errors:\n  line 6: key "mode" already set in map, unknown field "extra"';
    expect([strict.status, strict.body.message]).toEqual([400, expect.stringContaining(problem)]);
    const warned = await call('POST', configMaps, repeated, yaml);
    expect([warned.status, warned.headers.warning]).toEqual([201, expect.stringContaining('line 6: key \\"mode\\" already set in map')]);
  });

  it('is applied strictly, also as JSON', async () => {
    const { call } = setUp();
    const apply = (body: string, level: string) => call('PATCH', `${configMaps}/a?fieldManager=t&fieldValidation=${level}`, body, applied);
    const json = '{"apiVersion":"v1","kind":"ConfigMap",\n"metadata":{"name":"a"},\n"data":{"mode":"1",\n"mode":"2"}}';
    for (const [body, line] of [
      [`${text}  mode: "2"\n`, 6],
      [json, 4],
    ] as const) {
      const problem = `error converting YAML to JSON: yaml: unmarshal errors:\n  line ${line}: key "mode" already set in map`;
      const strict = await apply(body, 'Strict');
      expect([strict.status, strict.body.message]).toEqual([400, `error strict decoding YAML: ${problem}`]);
      expect((await apply(body, 'Warn')).headers.warning).toBe(`299 - ${JSON.stringify(problem.replace('\n ', ''))}`);
      expect((await apply(body, 'Ignore')).headers.warning).toBeUndefined();
    }
  });

  it.each([
    ['a: [', 'error converting YAML to JSON'],
    ['- a', 'the body must be one YAML document with an object'],
    [`${text}---\n${text}`, 'the body must be one YAML document with an object'],
    [`a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: [*a, *a, *a, *a]`).join('\n')}\nc: {d: *z}`, 'error converting YAML'],
  ])('is refused: %s', async (body, message) => {
    const { call } = setUp();
    const response = await call('POST', configMaps, body, yaml);
    expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
