import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import prettier from 'eslint-config-prettier/flat';
import tseslint from 'typescript-eslint';
import { promiseOrder } from './eslint-promise-order.mjs';

export default defineConfig(
  {
    ignores: [
      'dist/',
      'packages/*/dist/',
      '.data/',
      'coverage/',
      'libs/storage/src/generated/',
      'packages/client/src/openapi.ts',
      '**/*.cjs',
      '**/*.mjs',
      'prisma.config.ts',
    ],
  },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  prettier,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { hostprobe: { rules: { 'promise-order': promiseOrder } } },
    rules: {
      'hostprobe/promise-order': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      // Nest declares its options as classes but expects object literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Configuration is read once, in libs/config.
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read libs/config instead.' },
      ],
    },
  },
  {
    files: ['libs/config/**', '**/main.ts', 'test/**', '**/test/**', 'apps/standalone/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // docs/adr/0010-prisma-and-sql.md
    files: ['apps/*/src/**', 'libs/**'],
    ignores: [
      ...['database', 'migrate', 'notices', 'server-secret.repository'].map(
        (file) => `libs/storage/src/database/${file}.ts`,
      ),
      ...['libs/limits/src/limit-store.ts', 'libs/queue/src/postgres-pool.ts'],
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name='query'][callee.object.property.name='pool'], CallExpression[callee.property.name='query'][callee.object.name=/^(pool|client)$/]",
          message: 'Ask through Prisma; Database.plainly is for what a process asks before it is ready.',
        },
      ],
    },
  },
  // The compiler checks browser scripts: it knows the globals and reads the types in comments.
  {
    files: ['apps/gateway/browser/*.js'],
    rules: { 'no-undef': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**', '**/test/**'],
    rules: {
      // Tests start something on purpose and do other things meanwhile. A rejection only fails the test.
      'hostprobe/promise-order': 'off',
      'max-lines': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
