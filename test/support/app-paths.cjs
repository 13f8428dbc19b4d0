// Maps module paths for the global setup, which runs outside the test environment, where Jest's own mapping does not
// apply.
const Module = require('node:module');
const { join } = require('node:path');

/** Resolves a request of a source file: a library by its name, or the built file that `import()` names. */
function sourceOf(request, parent) {
  const library = /^@app\/([^/]+)$/.exec(request)?.[1];
  if (library) return join(__dirname, '../../libs', library, 'src/index.ts');
  return parent?.filename?.endsWith('.ts') ? request.replace(/^(\..*)\.js$/, '$1') : request;
}

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  return resolve.call(this, sourceOf(request, parent), parent, ...rest);
};
