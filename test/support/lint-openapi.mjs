// Checks each OpenAPI document in the JSON array on standard input by the recommended rules of Redocly and Spectral;
// prints an array of the results.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const config = await createConfig({ extends: ['recommended'] });
const linter = new spectral.Spectral();
linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });

const found = [];
for (const document of JSON.parse(readFileSync(0, 'utf8'))) {
  const source = JSON.stringify(document);
  const redocly = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  found.push([
    ...redocly.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} at ${location[0]?.pointer}`),
    ...(await linter.run(document)).map(
      ({ code, message, path }) => `spectral ${code}: ${message} at ${path.join('/')}`,
    ),
  ]);
}
console.log(JSON.stringify(found));
