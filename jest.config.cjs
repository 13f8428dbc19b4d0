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
// Compiles like the build, except for `import()`, which jest cannot pass on to Node.
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
  // The second pattern is for `import()`, which Node.js requires to name the built file.
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
/** These kill processes for minutes. Only `npm run chaos` and `npm run prove:alerts` run them, `npm test` does not. */
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
  // Only stops tests that hang. It measures nothing, because the suite also runs on busy machines.
  testTimeout: 300_000,
  // Two, because most machines have at least two cores. With three, slow machines missed the time limits of the service.
  maxWorkers: 2,
  // Many specs in one process leave garbage, which slows down garbage collection. Some specs measure CPU time.
  workerIdleMemoryLimit: '1500MB',
  // A failed test leaves its servers open, and a run in one process would then never end.
  forceExit: true,
};
