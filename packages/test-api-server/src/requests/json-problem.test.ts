import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { jsonProblem } from './json-problem.js';

describe('a text that is no JSON', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['hello', "invalid character 'h' looking for beginning of value"],
    ['{a}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{}{}', "invalid character '{' after top-level value"],
    ['tru', 'unexpected end of JSON input'],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\n"', "invalid character '\\x0a' in string literal"],
    ['['.repeat(20_000), "invalid character '[' exceeded max depth"],
  ])('%j has the problem that Go names', (text, problem) => expect(jsonProblem(text)).toBe(problem));

  it.each(['{"a":[1,-2.5e3,true,false,null,"\\u00e9\\n",{}]}', ' [] ', '0'])('%j is JSON', (text) =>
    expect(jsonProblem(text)).toBeUndefined(),
  );
});

describe('a body without a kind', () => {
  const url = '/api/v1/namespaces/default/configmaps';
  const send = async (body: string, headers: Record<string, string> = {}) => (await setUp().call('POST', url, body, headers)).body;
  const couldNot = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";

  it.each([
    ['', `${couldNot}unexpected end of JSON input (<empty>)`],
    ['{"apiVersion":"v1","kind":"ConfigMap"', `${couldNot}unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...)`],
    ['hello', `${couldNot}invalid character 'h' looking for beginning of value (68656c6c6f)`],
    [
      '[]',
      `${couldNot}json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
    ],
    ['{"kind":1}', `${couldNot}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1})`],
    [
      '{"apiVersion":"a/b/c"}',
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
    [
      '{"apiVersion":"v1","kind":"Secret"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"apiVersion":"v1","kind":"Prod"}',
      'Prod in version "v1" cannot be handled as a ConfigMap: no kind "Prod" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])('is refused with its beginning: %j', async (body, message) => {
    expect(await send(body)).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  it('is an object without fields as null', async () => expect((await send('null')).code).toBe(422));

  it('of another media type gets 415 with those that the resource takes', async () => {
    expect(await send('{}', { 'content-type': 'text/plain' })).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  });
});
