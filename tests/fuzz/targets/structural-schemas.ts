import fc from 'fast-check';
import { schemaExamples, specExamples } from '../examples/schemas.js';
import { customServer } from '../generate/custom-server.js';
import { mutatedJson } from '../generate/json.js';
import { promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

export const structuralSchemas = fuzzTarget({
  name: 'structural-schemas',
  promise:
    'a schema is refused with its problems, or its objects are stored as they are answered, and are valid and unchanged when sent again',
  runs: 100,
  inputs: fc.record({ schema: mutatedJson(schemaExamples), specs: fc.array(mutatedJson(specExamples), { maxLength: 3 }) }),
  async check({ schema, specs }) {
    const server = customServer();
    if ((await server.define(schema)).status !== 201) return;
    for (const [index, spec] of specs.entries()) {
      const created = await server.create(`w${index}`, spec);
      if (created.status !== 201) continue;
      const again = await server.tryCreate(created.body.spec);
      promiseSame(again.status, 201, 'the status of a stored object that is sent again');
      promiseSame(again.body.spec, created.body.spec, 'the object that is sent again');
    }
  },
});
