import { describe, expect, it } from 'vitest';
import { toJson } from './adapt.js';
import { compile } from './cel.js';
import { CelCompileError, CelCostError, CelEvalError } from './cel-error.js';
import { overload } from './functions.js';
import { type CelType, celTypes, listOf, mapOf } from './types.js';

const spec: CelType = {
  kind: 'object',
  name: 'object',
  fields: new Map([
    ['replicas', { jsonName: 'replicas', type: celTypes.int }],
    ['names', { jsonName: 'names', type: { ...listOf({ kind: 'string', maxSize: 10 }), maxSize: 5 } }],
    ['labels', { jsonName: 'labels', type: mapOf(celTypes.string, celTypes.string) }],
    ['__if__', { jsonName: 'if', type: celTypes.string }],
    ['free', { jsonName: 'free', type: celTypes.dyn }],
  ]),
};
const self = { replicas: 3, names: ['a', 'b'], labels: { app: 'web' }, if: 'yes', free: { n: 1, d: 1.5, list: [1, 'x'] } };
const evaluate = (expression: string, costLimit?: number) =>
  compile(expression, { variables: { self: spec } }).evaluate({ self }, costLimit === undefined ? {} : { costLimit });
const jsonOf = (expression: string) => toJson(evaluate(expression).value);
const errorsOf = (expression: string) => {
  try {
    compile(expression, { variables: { self: spec } });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('compiles');
};

describe('CEL', () => {
  it.each([
    ['1 + 2 * 3 - -4', 11],
    ['self.replicas > 2 && self.names.all(n, n.size() == 1)', true],
    ['self.names.map(n, n + "!")', ['a!', 'b!']],
    ['self.names.map(n, n != "a", n + "!")', ['b!']],
    ['self.names.exists_one(n, n == "a") ? "one" : "none"', 'one'],
    ['self.names.filter(n, n > "a")', ['b']],
    ['self.names.transformMap(i, n, n + string(i))', { 0: 'a0', 1: 'b1' }],
    ['self.labels.all(k, v, k == "app" && v == "web")', true],
    ['has(self.labels) && !has(self.labels.other)', true],
    ['self.?labels.?other.orValue("none")', 'none'],
    ['self.__if__', 'yes'],
    ['optional.of(self.replicas).optMap(x, x * x).value()', 9],
    [
      '[3, 1, 2].sort() + [2, 2].distinct() + [[4], [5]].flatten() + lists.range(2) + [6, 7].reverse() + [8, 9].slice(1, 2)',
      [1, 2, 3, 2, 4, 5, 0, 1, 7, 6, 9],
    ],
    ['["aa", "b"].sortBy(x, x.size())', ['b', 'aa']],
    ['[self.names.first().value(), self.names.last().value()]', ['a', 'b']],
    ['optional.unwrap([optional.of(1), optional.none()]) + [optional.of(2)].unwrapOpt()', [1, 2]],
    ['self.free.n == 1 && self.free.d == 1.5 && self.free.list[1] == "x"', true],
    ['"x" in self.free.list', true],
    ['1u + 2u == 3u', true],
    ['"öäü".substring(1, 2) + "abc".charAt(2)', 'äc'],
    ['"a,b,c".split(",").join("-")', 'a-b-c'],
    ['"hello there".find("o t.*e$")', 'o there'],
    ['"1-2-3".findAll("[0-9]", 2)', ['1', '2']],
    ['[3, 1, 2].max() + [1.5, 2.5].map(d, int(d)).sum()', 6],
    ['[1, 2, 2].isSorted() && [1, 2].indexOf(2) == 1', true],
    ['sets.equivalent([1, 2], [2, 1]) && !sets.intersects([1], [2])', true],
    ['duration("90m") == duration("1h30m") && duration("90m").getHours() == 1', true],
    ['timestamp("2024-05-01T23:30:00Z").getDayOfMonth("+02:00")', 1],
    ['quantity("1Gi").compareTo(quantity("1024Mi")) == 0 && isQuantity("1x") == false', true],
    ['quantity("200M").add(quantity("1k")).asInteger()', 200_001_000],
    ['ip("10.0.0.1").family() == 4 && cidr("10.0.0.0/8").containsIP("10.1.2.3") && !isIP("1.2.3")', true],
    ['string(cidr("10.1.2.3/8").masked()) + " " + string(ip("0:0::1"))', '10.0.0.0/8 ::1'],
    [
      'url("https://example.com:80/a%20b?k=v").getHostname() + url("https://example.com:80/a%20b?k=v").getEscapedPath()',
      'example.com/a%20b',
    ],
    ['semver("1.2.3").isLessThan(semver("1.10.0-rc.1")) && isSemver("v1.0", true)', true],
    ['format.dns1123Label().validate("Bad").hasValue() && !format.named("uuid").value().validate("x").hasValue()', false],
    ['"%s: %d, %.2f".format(["a", 1, 2.0])', 'a: 1, 2.00'],
    ['type(self.replicas) == int && type("") == string', true],
    ['false && 1 / 0 == 1', false],
    ['1 / 0 == 1 || true', true],
    ['[1, 0].exists(x, 1 / x == 1)', true],
    ['"%.1f %f %e".format([2.25, 1234567.5, 1052.0])', '2.2 1,234,567.500000 1.052000×10⁰³'],
    ['"%s".format([[1, "a", 1.5, {"k": null}, duration("1m")]])', '[1, "a", 1.500000, {"k":null}, duration("60s")]'],
    ['string(1e10) + string(0.5)', '1e+100.5'],
    ['duration("90s").getMilliseconds()', 90_000],
  ])('%s', (expression, value) => expect(jsonOf(expression)).toEqual(value));

  it.each([
    ['1 / 0', 'division by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['self.labels.other', 'no such key: other'],
    ['self.names[5]', 'index out of bounds: 5'],
    ['self.free.n.startsWith("x")', 'no such overload'],
    ['timestamp(self.names[0])', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
    ['"a".matches(self.names[0] + "(")', 'error parsing regexp: missing closing ): `a(`'],
    ['int(self.names[0])', "type conversion error from 'string' to 'int'"],
    ['int(self.free.list)', 'no such overload: int(list)'],
    ['self.free.list["a"]', "unsupported index type 'string' in list"],
    ['[1, 2].slice(1, 5)', 'cannot slice(1, 5), list is length 2'],
    ['{"a": 1, "b": 1}.transformMapEntry(k, v, {v: k})', 'insert failed: key 1 already exists'],
    ['ip(self.names[0])', 'IP Address "a" parse error during conversion from string: ParseAddr("a"): unable to parse IP'],
    ['semver(self.names[0] + ".1.2")', 'Invalid character(s) found in major number "a"'],
    ['"%d".format([self.free.d])', 'error during formatting: decimal clause can only be used on integers, was given double'],
    ['"abc".substring(4)', 'index out of range: 4'],
  ])('%s fails', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(CelEvalError);
    expect(() => evaluate(expression)).toThrow(message);
  });

  it.each([
    ['self.other == 1', "ERROR: <input>:1:5: undefined field 'other'\n | self.other == 1\n | ....^"],
    [
      'self.replicas > "a"',
      "ERROR: <input>:1:15: found no matching overload for '_>_' applied to '(int, string)'\n | self.replicas > \"a\"\n | ..............^",
    ],
    ['other', "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other\n | ^"],
    [
      'self.names.nothing()',
      "ERROR: <input>:1:19: undeclared reference to 'nothing' (in container '')\n | self.names.nothing()\n | ..................^",
    ],
    [
      '"a".startsWith(1)',
      "ERROR: <input>:1:15: found no matching overload for 'startsWith' applied to 'string.(int)'\n | \"a\".startsWith(1)\n | ..............^",
    ],
    [
      'self.replicas.all(x, true)',
      "ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.replicas.all(x, true)\n | ....^",
    ],
    [
      'self = 1',
      "ERROR: <input>:1:6: Syntax error: token recognition error at: '= '\n | self = 1\n | .....^\nERROR: <input>:1:8: Syntax error: extraneous input '1' expecting <EOF>\n | self = 1\n | .......^",
    ],
    [
      '1 +',
      "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
    ],
    ['(1', "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
    ['[1 2]', "ERROR: <input>:1:4: Syntax error: extraneous input '2' expecting {']', ','}\n | [1 2]\n | ...^"],
    ['a..b', "ERROR: <input>:1:3: Syntax error: no viable alternative at input '..'\n | a..b\n | ..^"],
    ['if', 'ERROR: <input>:1:1: reserved identifier: if\n | if\n | ^'],
    ['9223372036854775808', 'ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^'],
    ['has(self)', 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^'],
    ['[1].all(x, x, true)', 'ERROR: <input>:1:12: duplicate variable name: x\n | [1].all(x, x, true)\n | ...........^'],
    ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
    ['{"a": 1, 2: 3}', "ERROR: <input>:1:10: expected type 'string' but found 'int'\n | {\"a\": 1, 2: 3}\n | .........^"],
    ['duration("1d")', 'ERROR: <input>:1:10: invalid duration argument\n | duration("1d")\n | .........^'],
    ['"a".matches("(")', 'ERROR: <input>:1:13: invalid matches argument\n | "a".matches("(")\n | ............^'],
    [
      '"%d".format(["a"])',
      'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string\n | "%d".format(["a"])\n | .............^',
    ],
    ['"%s %s".format([1])', 'ERROR: <input>:1:15: index 1 out of range\n | "%s %s".format([1])\n | ..............^'],
    ['cel.bind(x, 1, x)', /undeclared reference to 'cel'/],
    ['sets.contains([1], ["a"])', /found no matching overload for 'sets.contains' applied to/],
    ['"é" + x', "ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | \"é\" + x\n | .．....^"],
    ['true && 1', "ERROR: <input>:1:9: expected type 'bool' but found 'int'\n | true && 1\n | ........^"],
    ['1 +\n self.x', "ERROR: <input>:2:6: undefined field 'x'\n |  self.x\n | .....^"],
  ])('%s does not compile', (expression, message) =>
    expect(errorsOf(expression)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message)),
  );

  it('refuses expressions that nest too deeply', () => {
    expect(() => compile(`${'('.repeat(300)}1${')'.repeat(300)}`, { variables: {} })).toThrow(CelCompileError);
    expect(() => compile(`${'['.repeat(5000)}`, { variables: {} })).toThrow(CelCompileError);
    expect(() => compile(`1${' + 1'.repeat(5000)}`, { variables: {} })).toThrow(CelCompileError);
  });

  it('counts costs while it evaluates, and stops at the limit', () => {
    expect(evaluate('self.replicas > 2').cost).toBe(3);
    expect(evaluate('self.names.all(n, n == "a" || n == "b")').cost).toBeGreaterThan(8);
    expect(() => evaluate('self.names.all(n, n == "a" || n == "b")', 8)).toThrow(CelCostError);
    const numbers = `[${Array.from({ length: 100 }, (_, index) => index).join(',')}]`;
    expect(() => evaluate(`${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c >= 0)))`)).toThrow(CelCostError);
    expect(() => evaluate(`["${'x'.repeat(1000)}"].map(a, a.replace("x", a))[0].replace("x", "${'y'.repeat(1000)}").size() > 0`)).toThrow(
      CelCostError,
    );
  });

  it('estimates costs from the sizes of types', () => {
    const costOf = (expression: string) => compile(expression, { variables: { self: spec } }).estimatedCost;
    expect(costOf('self.replicas > 2')).toBe(3);
    expect(costOf('self.names.all(n, n.startsWith("a"))')).toBeLessThan(50);
    expect(costOf('self.labels.all(k, k.startsWith("a"))')).toBe(Number.POSITIVE_INFINITY);
    expect(evaluate('self.names.all(n, n.startsWith("a"))').cost).toBeLessThanOrEqual(costOf('self.names.all(n, n.startsWith("a"))'));
  });

  it('has the functions and types of its environment', () => {
    const program = compile('Object{spec: Object.spec{replicas: twice(2)}}', {
      variables: {},
      functions: [overload('twice(int) int', (value: bigint) => value * 2n)],
      objectType: (name) => (name.startsWith('Object') ? celTypes.dyn : undefined),
    });
    expect(toJson(program.evaluate({}).value)).toEqual({ spec: { replicas: 4 } });
    expect(compile('a.b + c', { variables: { a: celTypes.dyn, b: celTypes.dyn, c: celTypes.dyn } }).references).toEqual(
      new Set(['a', 'c']),
    );
  });
});
