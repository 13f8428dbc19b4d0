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
];
const swc = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  // The second: `import()` names the file that is built, as Node.js wants it.
  moduleNameMapper: { '^@app/([^/]+)$': '<rootDir>/libs/$1/src', '^(\\.\\.?/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['@swc/jest', swc],
    '(?:node_modules/.+\\.m?js|/bench/.+\\.mjs)$': ['@swc/jest', { ...swc, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(.*/node_modules/)?(${lowered.join('|')})/)`],
};

module.exports = {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts', '<rootDir>/bench/**/*.spec.mjs'],
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/apps/*/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      setupFilesAfterEnv: ['<rootDir>/test/support/keep-contract.ts'],
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  // A bound against hanging, not a measure: the suite also runs on a machine that is busy with other things.
  testTimeout: 300_000,
  // A test that fails leaves its servers open, and a run in one process would then never end.
  forceExit: true,
};
