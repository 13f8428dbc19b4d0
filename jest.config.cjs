/**
 * Nest 12 ships ES modules only and jest on Node 20 cannot require them, so swc lowers the packages
 * named here to CommonJS. On Node >= 24.9 the list can go.
 */
const lowered = [
  '@nestjs',
  'cookie',
  'content-disposition',
  'web-bot-auth',
  'http-message-sig',
  '@noble',
  '@faremeter',
  'arktype',
  '@ark',
  'arkregex',
  '@scalar',
  'github-slugger',
  'hyparquet',
  'hyparquet-writer',
  'micromark[a-z-]*',
  'decode-named-character-reference',
  'character-entities',
  'devlop',
];
// As the build compiles them, but `import()`, which jest cannot leave to Node.
const swc = { ...require('./scripts/swc-options.cjs'), sourceMaps: 'inline', module: { type: 'commonjs' } };
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/.data/',
    '<rootDir>/compat/(?:[^/]+/)?node_modules/',
    '<rootDir>/packages/checks/node_modules/',
    '<rootDir>/examples/node_modules/',
    '<rootDir>/packages/[^/]+/dist/',
  ],
  // The second: `import()` names the file that is built, as Node.js wants it.
  moduleNameMapper: { '^@app/([^/]+)$': '<rootDir>/libs/$1/src', '^(\\.\\.?/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['@swc/jest', swc],
    '(?:node_modules/.+\\.m?js|/(?:bench|compat)/.+\\.mjs)$': ['@swc/jest', { ...swc, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(.*/node_modules/)?(${lowered.join('|')})/)`],
};

const e2e = {
  ...base,
  displayName: 'e2e',
  testMatch: ['<rootDir>/apps/*/test/**/*.e2e-spec.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  setupFilesAfterEnv: ['fixed-seed', 'keep-contract'].map((name) => `<rootDir>/test/support/${name}.ts`),
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};
/** Kills processes for minutes: `npm run chaos` and `npm run prove:alerts`, not `npm test`. */
const kills = { ...e2e, displayName: 'kills', testMatch: ['<rootDir>/apps/*/test/**/*.kills-spec.ts'] };

module.exports = {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,packages,test}/**/*.spec.ts', '<rootDir>/bench/**/*.spec.mjs'],
      globalSetup: '<rootDir>/test/support/run-folder.ts',
      setupFilesAfterEnv: ['<rootDir>/test/support/fixed-seed.ts'],
    },
    e2e,
    ...(process.env.KILLS ? [kills] : []),
  ],
  // A bound against hanging, not a measure: the suite also runs on a machine that is busy with other things.
  testTimeout: 300_000,
  // One for each of the two cores that are common. With a third, slow machines missed the time limits of the service.
  maxWorkers: 2,
  // What many specs leave behind in one process makes collections of garbage long, and some specs count processor time.
  workerIdleMemoryLimit: '1500MB',
  // A test that fails leaves its servers open, and a run in one process would then never end.
  forceExit: true,
};
