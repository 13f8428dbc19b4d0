// The service as it was built.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** A module of dist/, by its path there without the ending. */
export const built = (path) => require(`../../dist/${path}.js`);

/** Path of a program of dist/. */
export const program = (app) => fileURLToPath(new URL(`../../dist/apps/${app}/src/main.js`, import.meta.url));
