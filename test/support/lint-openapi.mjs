// Holds the OpenAPI document on standard input against the recommended rules of Redocly and of Spectral; prints what they find.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const source = readFileSync(0, 'utf8');
const config = await createConfig({ extends: ['recommended'] });
const redocly = (await lintFromString({ source, absoluteRef: 'openapi.json', config })).map(
  ({ ruleId, message, location }) => `redocly ${ruleId}: ${message} at ${location[0]?.pointer}`,
);

const linter = new spectral.Spectral();
linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const found = (await linter.run(JSON.parse(source))).map(
  ({ code, message, path }) => `spectral ${code}: ${message} at ${path.join('/')}`,
);
console.log(JSON.stringify([...redocly, ...found]));
